// The level-wise search for the path of one circuit while others are held (L 4; D 7.4), in the K slots of a switch that
// is a fat tree FT(3, W, W). For each level and side a memory has one row of W bits a slot and switch: 1 is a free link.
//
// `valid` with a command while `ready`; the answer with `done`, four clocks later, until the next command:
//   find    takes the links of a path from `source` to `destination` in `slot`: at each level the lowest port that is
//           free in both rows, without backtracking. Not `granted`, and takes nothing, if a node's link is in use or a
//           level has no such port.
//   toggle  the links of the path by `given_p0` and `given_p1` become free if they were held, and held if they were free.
// The path turns at the lowest common switch. Node n is {n_2, n_1, n_0}.
// `reset` starts with empty slots: `ready` is 0 for K W^2 clocks.
module level_wise_slots #(
    parameter int W = 4,  // a power of 2
    parameter int K = 4,  // a power of 2, at least 2
    localparam int P = $clog2(W),
    localparam int S = $clog2(K),
    localparam int A = S + 2 * P
) (
    input  logic           clk,
    input  logic           reset,
    output logic           ready,
    input  logic           valid,
    input  logic           toggle,
    input  logic [  S-1:0] slot,
    input  logic [3*P-1:0] source,
    input  logic [3*P-1:0] destination,
    input  logic [  P-1:0] given_p0,
    input  logic [  P-1:0] given_p1,
    output logic           done,
    output logic           granted,
    output logic [    1:0] turn,  // level: ports p_0 .. p_(turn - 1) are used
    output logic [  P-1:0] p0,
    output logic [  P-1:0] p1
);
  localparam logic [2:0] Clear = 0, Ready = 1, Level0 = 2, Level1 = 3, Update = 4;
  localparam logic [W-1:0] One = 1;

  // Rows of switches of level 0: the links of the nodes, and those up from there. Rows of level 1.
  logic [W-1:0] source_nodes[1 << A], destination_nodes[1 << A];
  logic [W-1:0] up_0[1 << A], down_0[1 << A], up_1[1 << A], down_1[1 << A];

  logic [2:0] state;
  logic [A-1:0] cleared, sigma_0, delta_0, sigma_1, delta_1;
  logic [P-1:0] source_link, destination_link, kept_p1;
  logic toggles, fits_0;
  logic [W-1:0] row_source, row_destination, row_up_0, row_down_0, row_up_1, row_down_1;
  logic [W-1:0] bit_0, bit_1;  // of the link that changes in the rows of each level
  assign ready = state == Ready;

  function automatic logic [P-1:0] number(input logic [W-1:0] one_hot);
    number = '0;
    for (int i = 0; i < W; i++) if (one_hot[i]) number = number | P'(i);
  endfunction

  wire [W-1:0] common_0 = row_up_0 & row_down_0, common_1 = row_up_1 & row_down_1;
  wire [W-1:0] lowest_0 = common_0 & (~common_0 + One), lowest_1 = common_1 & (~common_1 + One);
  wire nodes_free = row_source[source_link] && row_destination[destination_link];
  wire [P-1:0] port_0 = toggles ? p0 : number(lowest_0), port_1 = toggles ? kept_p1 : number(lowest_1);
  wire [A-1:0] next_sigma_1 = {sigma_0[A-1:P], port_0}, next_delta_1 = {delta_0[A-1:P], port_0};
  wire same_subtree = source[3*P-1:2*P] == destination[3*P-1:2*P];
  wire same_switch = source[3*P-1:P] == destination[3*P-1:P];

  always_ff @(posedge clk) begin
    done <= 0;
    case (state)
      Clear: begin
        cleared <= cleared + 1'b1;
        if (cleared == '1) state <= Ready;
      end
      Ready:
      if (valid) begin
        toggles <= toggle;
        turn <= !same_subtree ? 2'd2 : same_switch ? 2'd0 : 2'd1;
        {sigma_0, source_link} <= {slot, source};
        {delta_0, destination_link} <= {slot, destination};
        p0 <= given_p0;
        kept_p1 <= given_p1;
        state <= Level0;
      end
      Level0: begin
        fits_0 <= toggles || (nodes_free && (turn == 0 || common_0 != 0));
        bit_0 <= turn == 0 ? '0 : One << port_0;
        p0 <= turn == 0 ? '0 : port_0;
        sigma_1 <= next_sigma_1;
        delta_1 <= next_delta_1;
        state <= Level1;
      end
      Level1: begin
        granted <= fits_0 && (toggles || turn != 2 || common_1 != 0);
        bit_1 <= turn == 2 ? One << port_1 : '0;
        p1 <= turn == 2 ? port_1 : '0;
        state <= Update;
      end
      Update: begin
        done  <= 1;
        state <= Ready;
      end
      default: state <= Clear;
    endcase
    if (reset) begin
      cleared <= '0;
      done <= 0;
      state <= Clear;
    end
  end

  // The memories: a row is read in the clock before the state that uses it, and written in Update.
  wire clears = state == Clear, updates = clears || (state == Update && granted);
  always_ff @(posedge clk) begin
    if (updates) source_nodes[clears ? cleared : sigma_0] <= clears ? '1 : row_source ^ (One << source_link);
    if (updates) destination_nodes[clears ? cleared : delta_0] <= clears ? '1 : row_destination ^ (One << destination_link);
    if (updates) up_0[clears ? cleared : sigma_0] <= clears ? '1 : row_up_0 ^ bit_0;
    if (updates) down_0[clears ? cleared : delta_0] <= clears ? '1 : row_down_0 ^ bit_0;
    if (updates) up_1[clears ? cleared : sigma_1] <= clears ? '1 : row_up_1 ^ bit_1;
    if (updates) down_1[clears ? cleared : delta_1] <= clears ? '1 : row_down_1 ^ bit_1;
    if (state == Ready) begin
      row_source <= source_nodes[{slot, source[3*P-1:P]}];
      row_destination <= destination_nodes[{slot, destination[3*P-1:P]}];
      row_up_0 <= up_0[{slot, source[3*P-1:P]}];
      row_down_0 <= down_0[{slot, destination[3*P-1:P]}];
    end
    if (state == Level0) begin
      row_up_1 <= up_1[next_sigma_1];
      row_down_1 <= down_1[next_delta_1];
    end
  end
endmodule
