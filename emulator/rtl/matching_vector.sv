// The vector processor of D 6.5.3, Figure 6.11: matching_matrix.sv with the matrices in memory, one row a clock. A step
// takes N + 2 clocks, a step back as many as there are rows before the path's.
//
//   load      row `row` of R, B*, B^(s) and of the toggles of the greedy schedule (greedy_pass.sv): rows 0 to N-1
//   start     begins; then no load until `done`
//   done      `matched` is row `row` of the connections that the slot gets, one clock after `row`
module matching_vector #(
    parameter int N = 64,
    localparam int P = $clog2(N)
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         load,
    input  logic [P-1:0] row,
    input  logic [N-1:0] request,
    input  logic [N-1:0] established,
    input  logic [N-1:0] slot,
    input  logic [N-1:0] toggle,
    input  logic         start,
    input  logic [  P:0] odd_steps,  // 1: the greedy schedule; N: the maximum
    output logic         done,
    output logic [N-1:0] matched
);
  localparam logic [N-1:0] One = 1;
  localparam logic [2:0] Idle = 0, Odd = 1, OddEnd = 2, Even = 3, EvenEnd = 4, Back = 5;

  function automatic logic [P-1:0] number(input logic [N-1:0] one);
    number = '0;
    for (int v = 0; v < N; v++) if (one[v]) number = number | P'(v);
  endfunction

  // The matrices, and XMask[1], XMask[3], ...: one read and one write port each.
  logic [N-1:0] edges[N];
  logic [N-1:0] matching[N];
  logic [N-1:0] masks[N];
  logic [2:0] state;
  logic [P:0] next_row;  // to be read, N: none
  logic [P-1:0] row_1;  // of edges_1 and matched
  logic row_1_valid;
  logic [N-1:0] edges_1, mask_before;
  logic [N-1:0] free_inputs, outputs_taken, outputs_kept;
  logic [N-1:0] mask, reached, seen, forward, next_mask;
  logic [P-1:0] step;
  logic [P-1:0] output_;  // of the path, on the way back

  // Loading.
  wire [N-1:0] kept = slot & request;
  wire [N-1:0] added = toggle & ~slot;

  wire [N-1:0] fresh = forward & ~seen;
  wire [N-1:0] found = fresh & ~outputs_taken;
  wire [N-1:0] lowest = found & (~found + 1'b1);
  // The first row of XMask with a request for the output.
  wire on_path = state == Back && row_1_valid && mask[row_1] && edges_1[output_];
  wire path_ends = on_path && step == 0;
  wire [N-1:0] free_after = free_inputs & ~(path_ends ? One << row_1 : '0);
  wire begins = (state == Idle && start && odd_steps != 1) || path_ends;  // a search

  wire [P-1:0] address = state == Idle ? row : next_row[P-1:0];
  always_ff @(posedge clk) begin
    if (load) edges[row] <= kept == 0 ? request & ~established : '0;
    edges_1 <= edges[address];
  end
  always_ff @(posedge clk) begin
    if (load || on_path) matching[load ? row : row_1] <= load ? added : One << output_;
    matched <= matching[address];
  end
  always_ff @(posedge clk) begin
    if (begins || state == EvenEnd) masks[begins ? '0 : step+1'b1] <= begins ? free_after : next_mask;
    mask_before <= masks[step-1'b1];
  end

  assign done = state == Idle && !start;
  always_ff @(posedge clk) begin
    if (load) begin
      free_inputs[row] <= kept == 0 && added == 0;
      outputs_taken <= (row == 0 ? '0 : outputs_taken) | kept | added;
      outputs_kept <= (row == 0 ? '0 : outputs_kept) | kept;
    end
    row_1 <= next_row[P-1:0];
    row_1_valid <= 32'(next_row) < N;
    if (32'(next_row) < N) next_row <= next_row + 1'b1;
    case (state)
      Odd: begin
        if (row_1_valid && mask[row_1]) forward <= forward | (edges_1 & ~outputs_kept);
        if (32'(row_1) == N - 1 && row_1_valid) state <= OddEnd;
      end
      OddEnd: begin
        reached <= fresh;
        seen <= seen | fresh;
        output_ <= number(lowest);
        outputs_taken <= outputs_taken | lowest;
        next_row <= '0;
        if (found != 0) state <= Back;
        else state <= fresh == 0 || {1'b0, step} + 1'b1 == odd_steps ? Idle : Even;
      end
      Even: begin
        if (row_1_valid) next_mask[row_1] <= (matched & reached) != 0;
        if (32'(row_1) == N - 1 && row_1_valid) state <= EvenEnd;
      end
      EvenEnd: begin
        mask <= next_mask;
        step <= step + 1'b1;
        forward <= '0;
        next_row <= '0;
        state <= Odd;
      end
      // The input gets the output, and the path goes on with the output that it had.
      Back:
      if (on_path) begin
        output_ <= number(matched);
        mask <= mask_before;
        step <= step - 1'b1;
        next_row <= '0;
        row_1_valid <= 0;
      end
      default: ;
    endcase
    if (begins) begin
      free_inputs <= free_after;
      mask <= free_after;
      step <= '0;
      seen <= '0;
      forward <= '0;
      next_row <= '0;
      row_1_valid <= 0;
      state <= Odd;
    end
    if (reset) begin
      state <= Idle;
      next_row <= (P + 1)'(N);
      row_1_valid <= 0;
    end
  end
endmodule
