// A block of the level-wise scheduler (L Figure 11): load reads the rows of the two switches, compute takes a link that
// is free in both, update writes the rows back. One request a clock, four clocks from `valid` to `done`.
//
//   clock 0  read     the rows' addresses are at the memories
//   clock 1  load     the rows, or what a request before wrote to them
//   clock 2  compute
//   clock 3  update   the rows are written; `done`
//
// Hazards: the three requests before may change a row after it is read. Their results are forwarded: of the two
// that are in `update` in clocks 0 and 1 to `load`, of the one in `update` in clock 2 to `compute`.
//
// SELECT = 0: the lowest port that is free in both rows. SELECT = 1: the given link of each row (of a node).
// A request with `failed` or `skips` takes nothing; `skips` does not fail.
module level_wise_block #(
    parameter int W = 4,  // 4, 8 or 16
    parameter int CARRIED = 1,
    parameter bit SELECT = 0,
    localparam int P = $clog2(W)
) (
    input  logic               clk,
    input  logic               clearing,
    input  logic [    2*P-1:0] cleared,  // the row that is cleared
    input  logic               valid,
    input  logic               failed,
    input  logic               skips,
    input  logic [    2*P-1:0] up_row,
    input  logic [    2*P-1:0] down_row,
    input  logic [      P-1:0] up_link,
    input  logic [      P-1:0] down_link,
    input  logic [CARRIED-1:0] carried,
    output logic               done,
    output logic               done_failed,
    output logic [      P-1:0] port,
    output logic [CARRIED-1:0] carried_out
);
  logic l_valid, l_failed, l_skips, c_acts, c_failed, c_skips;
  logic [P-1:0] l_up_link, l_down_link, c_up_link, c_down_link;
  logic [CARRIED-1:0] l_carried, c_carried;
  logic c_valid, u_takes;
  logic [W-1:0] up, down, up_left, down_left;

  level_wise_rows #(
      .W(W)
  ) up_rows (
      .clk(clk), .clearing(clearing), .cleared(cleared), .row(up_row), .value(up), .writes(u_takes), .written(up_left)
  );
  level_wise_rows #(
      .W(W)
  ) down_rows (
      .clk(clk), .clearing(clearing), .cleared(cleared), .row(down_row), .value(down), .writes(u_takes),
      .written(down_left)
  );

  // Compute. The lowest port in two steps of four bits, one LUT4 each.
  localparam int G = W / 4;  // groups
  wire [W-1:0] common = up & down;
  logic [W-1:0] lowest;
  logic [G-1:0] any;
  always_comb
    for (int g = 0; g < G; g++) begin
      any[g] = |common[4*g+:4];
    end
  always_comb
    for (int g = 0; g < G; g++)
      for (int i = 0; i < 4; i++)
        lowest[4*g+i] = common[4*g+i] & ((common[4*g+:4] & 4'((1 << i) - 1)) == 0) & ((any & G'((1 << g) - 1)) == 0);
  localparam logic [W-1:0] One = 1;
  wire [W-1:0] up_taken = SELECT ? One << c_up_link : lowest;
  wire [W-1:0] down_taken = SELECT ? One << c_down_link : lowest;
  wire fits = SELECT ? (up & up_taken) != 0 && (down & down_taken) != 0 : any != 0;
  logic [P-1:0] lowest_port;
  always_comb begin
    lowest_port = '0;
    for (int i = 0; i < W; i++) if (lowest[i]) lowest_port = lowest_port | P'(i);
  end

  always_ff @(posedge clk) begin
    l_valid <= valid && !clearing;
    l_failed <= failed;
    l_skips <= skips;
    l_up_link <= up_link;
    l_down_link <= down_link;
    l_carried <= carried;
    c_valid <= l_valid && !clearing;
    c_acts <= l_valid && !l_failed && !l_skips && !clearing;
    c_failed <= l_failed;
    c_skips <= l_skips;
    c_up_link <= l_up_link;
    c_down_link <= l_down_link;
    c_carried <= l_carried;
    u_takes <= c_acts && fits;
    up_left <= up & ~up_taken;
    down_left <= down & ~down_taken;
    done <= c_valid && !clearing;
    done_failed <= c_failed || (!c_skips && !fits);
    port <= lowest_port;
    carried_out <= c_carried;
  end
endmodule
