// The matrix processor of D 6.5.2, Figure 6.9: the optimizing scheduler of D 6.4 for one slot. The greedy schedule
// (greedy_pass.sv), then augmenting paths of at most 2 * odd_steps - 1 edges, until a search finds none.
//
// One matrix operation a clock: an odd step forward (unsaturated edges, requests), an even step forward (saturated
// edges), or two steps back with the update of the matching (Figures 6.5 to 6.7). Masks are stored instead of the
// matrices F[i], which are the request matrix filtered by them; a mask leaves out the vertices of earlier masks.
//
//   start     takes the inputs of greedy_pass.sv; they must stay until `done`
//   done      `toggle` is valid, until the next start
module matching_matrix #(
    parameter int N = 8,
    parameter bit CELLS = 1,  // of greedy_array.sv
    localparam int P = $clog2(N)
) (
    input  logic           clk,
    input  logic           start,
    input  logic [N*N-1:0] request,
    input  logic [N*N-1:0] established,
    input  logic [N*N-1:0] slot,
    input  logic [  P-1:0] a,
    input  logic [  P-1:0] b,
    input  logic [    P:0] odd_steps,  // 1: the greedy schedule; N: the maximum
    output logic           done,
    output logic [N*N-1:0] toggle
);
  wire [N*N-1:0] greedy;
  greedy_pass #(
      .N(N), .CELLS(CELLS)
  ) first (
      .request(request), .established(established), .slot(slot), .a(a), .b(b), .toggle(greedy)
  );

  // The graph: requests in no slot between ports that the slot does not keep.
  wire [N*N-1:0] kept = slot & request;
  logic [N*N-1:0] edges;
  logic [N-1:0] input_kept, output_kept;
  always_comb begin
    output_kept = '0;
    for (int u = 0; u < N; u++) begin
      input_kept[u] = |kept[u*N+:N];
      output_kept = output_kept | kept[u*N+:N];
    end
    for (int u = 0; u < N; u++)
      edges[u*N+:N] = request[u*N+:N] & ~established[u*N+:N] & ~output_kept & {N{~input_kept[u]}};
  end

  localparam logic [2:0] Idle = 0, Odd = 1, Even = 2, Back = 3;
  logic [2:0] state;
  logic [N*N-1:0] matching;
  logic [N-1:0] free_inputs, free_outputs;
  logic [N-1:0] masks[N];  // XMask[1], XMask[3], ...
  logic [N-1:0] mask, reached, seen;
  logic [P-1:0] step;
  logic [P-1:0] output_;  // of the path, on the way back

  // Matrix operations.
  logic [N-1:0] forward, backward, column, candidates, lowest_input, found, lowest_output, row_before;
  logic [P-1:0] chosen_output, output_before;
  always_comb begin
    forward = '0;
    row_before = '0;
    for (int u = 0; u < N; u++) begin
      forward = forward | (edges[u*N+:N] & {N{mask[u]}});
      backward[u] = |(matching[u*N+:N] & reached);
      column[u] = edges[u*N+32'(output_)];
    end
    forward = forward & ~seen;
    found = forward & free_outputs;
    lowest_output = found & (~found + 1'b1);
    candidates = masks[step] & column;
    lowest_input = candidates & (~candidates + 1'b1);
    for (int u = 0; u < N; u++) row_before = row_before | (matching[u*N+:N] & {N{lowest_input[u]}});
    chosen_output = '0;
    output_before = '0;
    for (int v = 0; v < N; v++) begin
      if (lowest_output[v]) chosen_output = chosen_output | P'(v);
      if (row_before[v]) output_before = output_before | P'(v);
    end
  end

  localparam logic [N-1:0] One = 1;
  assign done = state == Idle && !start;
  assign toggle = (slot & ~request) | matching;
  always_ff @(posedge clk) begin
    case (state)
      Idle:
      if (start) begin
        matching <= greedy & ~slot;
        for (int u = 0; u < N; u++) free_inputs[u] <= !input_kept[u] && (greedy[u*N+:N] & ~slot[u*N+:N]) == 0;
        step <= '0;
        state <= odd_steps == 1 ? Idle : Even;
        free_outputs <= ~output_kept;
        for (int u = 0; u < N; u++)
          for (int v = 0; v < N; v++) if (greedy[u*N+v] && !slot[u*N+v]) free_outputs[v] <= 0;
        reached <= '0;
        seen <= '0;
      end
      // XMask[i] -> reached outputs; a free one ends the search.
      Odd: begin
        reached <= forward;
        seen <= seen | forward;
        if (found != 0) begin
          output_ <= chosen_output;
          free_outputs <= free_outputs & ~lowest_output;
          state <= Back;
        end else state <= forward == 0 || {1'b0, step} + 1'b1 == odd_steps ? Idle : Even;
      end
      // Outputs -> the inputs that they are connected to. Without outputs: the free inputs, which start a search.
      Even: begin
        mask <= reached == 0 ? free_inputs : backward;
        masks[reached == 0 ? '0 : step+1'b1] <= reached == 0 ? free_inputs : backward;
        step <= reached == 0 ? '0 : step + 1'b1;
        state <= Odd;
      end
      // The input gets the output, and the path goes on with the output that it had.
      Back: begin
        for (int u = 0; u < N; u++) if (lowest_input[u]) matching[u*N+:N] <= One << output_;
        output_ <= output_before;
        step <= step - 1'b1;
        if (step == 0) begin
          free_inputs <= free_inputs & ~lowest_input;
          reached <= '0;
          seen <= '0;
          state <= Even;
        end
      end
      default: state <= Idle;
    endcase
  end
endmodule
