// The pipeline of a block of the level-wise scheduler, without its memories: the request of clock 0 takes a link that is
// free in both of its rows. One request a clock.
//
//   clock 1  load     `up_load`, `down_load`: the rows; `up_again`, `down_again`: the request before has the same row
//   clock 2  compute  without what the request before took
//   clock 3  update   `writes` with what the request takes from the rows, `up_taken`, `down_taken`, and what it leaves,
//                     `up_left`, `down_left`; `done`
//
// SELECT = 0: the lowest port that is free in both rows. SELECT = 1: the given link of each row (of a node).
// A request with `failed` or `skips` takes nothing; `skips` does not fail.
module level_wise_engine #(
    parameter int W = 4,  // 4, 8 or 16
    parameter int CARRIED = 1,
    parameter bit SELECT = 0,
    localparam int P = $clog2(W)
) (
    input  logic               clk,
    input  logic               clearing,
    input  logic               valid,
    input  logic               failed,
    input  logic               skips,
    input  logic [      P-1:0] up_link,
    input  logic [      P-1:0] down_link,
    input  logic [CARRIED-1:0] carried,
    input  logic [      W-1:0] up_load,
    input  logic [      W-1:0] down_load,
    input  logic               up_again,
    input  logic               down_again,
    output logic               writes,
    output logic [      W-1:0] up_taken,
    output logic [      W-1:0] down_taken,
    output logic [      W-1:0] up_left,
    output logic [      W-1:0] down_left,
    output logic               done,
    output logic               done_failed,
    output logic [      P-1:0] port,
    output logic [CARRIED-1:0] carried_out
);
  logic l_valid, l_failed, l_skips, c_valid, c_acts, c_failed, c_skips;
  logic [CARRIED-1:0] l_carried, c_carried;
  logic c_up_again, c_down_again;
  logic [W-1:0] up_loaded, down_loaded, u_up, u_down;
  wire [W-1:0] up = up_loaded & ~({W{c_up_again && writes}} & up_taken);
  wire [W-1:0] down = down_loaded & ~({W{c_down_again && writes}} & down_taken);
  wire fits;

  if (SELECT) begin : g_select
    localparam logic [W-1:0] One = 1;
    logic [P-1:0] l_up_link, l_down_link, c_up_link, c_down_link;
    logic [W-1:0] c_up, c_down;  // the links
    logic c_same;  // the request before wants one of them, too
    assign fits = (up_loaded & c_up) != 0 && (down_loaded & c_down) != 0 && !(c_same && writes);
    assign port = '0;
    always_ff @(posedge clk) begin
      l_up_link <= up_link;
      l_down_link <= down_link;
      c_up_link <= l_up_link;
      c_down_link <= l_down_link;
      c_up <= One << l_up_link;
      c_down <= One << l_down_link;
      c_same <= (up_again && l_up_link == c_up_link) || (down_again && l_down_link == c_down_link);
      writes <= c_acts && fits;
      up_taken <= c_up;
      down_taken <= c_down;
    end
  end else begin : g_lowest
    // The lowest port in two steps of four bits, one LUT4 each. `taken` is 0 if there is none.
    localparam int G = W / 4;  // groups
    logic c_forwards;  // what the request before took, in either row
    logic [W-1:0] taken, lowest;
    wire [W-1:0] common = up_loaded & down_loaded & ~({W{c_forwards}} & taken);
    logic [G-1:0] any;
    always_comb
      for (int g = 0; g < G; g++) begin
        any[g] = |common[4*g+:4];
      end
    always_comb
      for (int g = 0; g < G; g++)
        for (int i = 0; i < 4; i++)
          lowest[4*g+i] = common[4*g+i] & ((common[4*g+:4] & 4'((1 << i) - 1)) == 0) & ((any & G'((1 << g) - 1)) == 0);
    // Its number, beside `lowest`: the first group that has one, and the first port of each group.
    function automatic logic [1:0] first(input logic [2:0] bits);
      first = {bits[1:0] == 0, !bits[0] && (bits[1] || !bits[2])};
    endfunction
    logic [7:0] firsts;
    wire [1:0] group = first(3'(any));
    always_comb begin
      firsts = '0;
      for (int g = 0; g < G; g++) firsts[2*g+:2] = first(common[4*g+:3]);
    end
    wire [P-1:0] lowest_port = P'({group, firsts[2*group+:2]});
    assign fits = any != 0;
    assign up_taken = taken;
    assign down_taken = taken;
    always_ff @(posedge clk) begin
      c_forwards <= (up_again || down_again) && c_acts;
      writes <= c_acts;
      taken <= lowest;
      port <= lowest_port;
    end
    wire unused = |{up_link, down_link};
  end

  assign up_left = u_up & ~up_taken;
  assign down_left = u_down & ~down_taken;
  always_ff @(posedge clk) begin
    l_valid <= valid && !clearing;
    l_failed <= failed;
    l_skips <= skips;
    l_carried <= carried;
    c_valid <= l_valid && !clearing;
    c_acts <= l_valid && !l_failed && !l_skips && !clearing;
    c_failed <= l_failed;
    c_skips <= l_skips;
    c_carried <= l_carried;
    up_loaded <= up_load;
    down_loaded <= down_load;
    c_up_again <= up_again;
    c_down_again <= down_again;
    u_up <= up;
    u_down <= down;
    done <= c_valid && !clearing;
    done_failed <= c_failed || (!c_skips && !fits);
    carried_out <= c_carried;
  end
endmodule
