// `rtl:matching/vector`: the greedy schedule, one row a clock (as greedy_array.sv with CELLS = 0), then
// matching_vector.sv: its rows are loaded, and read at the end. Ports as those of matching_matrix.sv, and `reset`.
module matching_vector_pass #(
    parameter int N = 64,
    localparam int P = $clog2(N)
) (
    input  logic           clk,
    input  logic           reset,
    input  logic           start,
    input  logic [N*N-1:0] request,
    input  logic [N*N-1:0] established,
    input  logic [N*N-1:0] slot,
    input  logic [  P-1:0] a,
    input  logic [  P-1:0] b,
    input  logic [    P:0] odd_steps,
    output logic           done,
    output logic [N*N-1:0] toggle
);
  localparam logic [2:0] Idle = 0, Greedy = 1, Load = 2, Search = 3, Read = 4;
  logic [2:0] state;
  logic [P-1:0] row, row_1;  // row_1: of `matched`
  logic [P:0] left;  // rows after this one
  logic begins, row_1_valid;
  logic [N-1:0] outputs, in_use;  // of the slot; at the wave, turned by b as the row
  wire found;
  wire [N-1:0] matched;
  wire [N-1:0] row_request = request[row*N+:N];
  wire [N-1:0] row_established = established[row*N+:N];
  wire [N-1:0] row_slot = slot[row*N+:N];
  always_comb begin
    outputs = '0;
    for (int u = 0; u < N; u++) outputs = outputs | slot[u*N+:N];
  end
  wire [N-1:0] released = N'({2{row_slot & ~row_request}} >> b);
  // The columns at which the input is free: those after the released one.
  wire [N-1:0] may = ({N{row_slot == 0}} | ({N{released != 0}} & ~(released | (released - 1'b1)))) & ~in_use &
      N'({2{row_request & ~row_established}} >> b);
  wire [N-1:0] turned = released | (may & (~may + 1'b1));
  matching_vector #(.N(N)) search (
      .clk(clk), .reset(reset), .load(state == Load), .row(row), .request(row_request), .established(row_established),
      .slot(row_slot), .toggle(toggle[row*N+:N]), .start(begins), .odd_steps(odd_steps), .done(found), .matched(matched)
  );
  assign done = state == Idle && !start;
  always_ff @(posedge clk) begin
    row <= 32'(row) == N - 1 ? '0 : row + 1'b1;
    left <= left - 1'b1;
    row_1 <= row;
    row_1_valid <= state == Read;
    begins <= state == Load && left == 0;
    case (state)
      Idle:
      if (start) begin
        in_use <= N'({2{outputs}} >> b);
        row <= a;
        state <= Greedy;
      end
      Greedy: begin
        toggle[row*N+:N] <= N'(({2{turned}} << b) >> N);
        in_use <= in_use ^ turned;
        if (left == 0) begin
          row <= '0;
          state <= Load;
        end
      end
      Load: if (left == 0) state <= Search;
      Search: begin
        row <= '0;
        if (found) state <= Read;
      end
      default:
      if (row_1_valid) begin
        toggle[row_1*N+:N] <= (slot[row_1*N+:N] & ~request[row_1*N+:N]) | matched;
        if (32'(row_1) == N - 1) state <= Idle;
      end
    endcase
    if (state == Idle || left == 0) left <= (P + 1)'(N - 1);
    if (reset) begin
      state <= Idle;
      begins <= 0;
    end
  end
endmodule
