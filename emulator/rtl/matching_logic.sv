// The pure logic processor of D 6.5.1, Figure 6.8: one augmenting path of at most 2 * STEPS - 1 edges in one clock, the
// same one as matching_matrix.sv. Several paths take as many clocks: `better` becomes `toggle`.
module matching_logic #(
    parameter int N = 8,
    parameter int STEPS = N,  // most odd steps
    localparam int P = $clog2(N)
) (
    input  logic [N*N-1:0] request,
    input  logic [N*N-1:0] established,
    input  logic [N*N-1:0] slot,
    input  logic [N*N-1:0] toggle,     // the greedy schedule's (greedy_pass.sv), or that of the last clock
    input  logic [    P:0] odd_steps,
    output logic           improves,   // there is a path
    output logic [N*N-1:0] better
);
  wire [N*N-1:0] kept = slot & request;
  wire [N*N-1:0] matching = toggle & ~slot;
  logic [N*N-1:0] edges;
  logic [N-1:0] free_inputs, outputs_kept, outputs_taken;
  logic [STEPS*N-1:0] masks;  // XMask[1], XMask[3], ...
  logic [N-1:0] mask, forward, seen, found, target, candidates, row_before;
  logic [P:0] found_in;
  always_comb begin
    outputs_kept = '0;
    outputs_taken = '0;
    for (int u = 0; u < N; u++) begin
      outputs_kept  = outputs_kept | kept[u*N+:N];
      outputs_taken = outputs_taken | kept[u*N+:N] | matching[u*N+:N];
      free_inputs[u] = (kept[u*N+:N] | matching[u*N+:N]) == 0;
    end
    for (int u = 0; u < N; u++)
      edges[u*N+:N] = request[u*N+:N] & ~established[u*N+:N] & ~outputs_kept & {N{kept[u*N+:N] == 0}};

    // Forward, all paths at once.
    mask = free_inputs;
    seen = '0;
    found = '0;
    found_in = '0;
    for (int i = 0; i < STEPS; i++) begin
      masks[i*N+:N] = mask;
      forward = '0;
      for (int u = 0; u < N; u++) forward = forward | (edges[u*N+:N] & {N{mask[u]}});
      forward = forward & ~seen;
      seen = seen | forward;
      if (found == 0 && (P + 1)'(i) < odd_steps) begin
        found = forward & ~outputs_taken;
        found_in = (P + 1)'(i);
      end
      for (int u = 0; u < N; u++) mask[u] = (matching[u*N+:N] & forward) != 0;
    end

    // Back along one path.
    improves = found != 0;
    target = found & (~found + 1'b1);
    better = toggle;
    candidates = '0;
    row_before = '0;
    for (int i = STEPS - 1; i >= 0; i--)
      if (found != 0 && (P + 1)'(i) <= found_in) begin
        for (int u = 0; u < N; u++) candidates[u] = masks[i*N+u] && (edges[u*N+:N] & target) != 0;
        candidates = candidates & (~candidates + 1'b1);
        row_before = '0;
        for (int u = 0; u < N; u++)
          if (candidates[u]) begin
            row_before = matching[u*N+:N];
            better[u*N+:N] = (toggle[u*N+:N] & slot[u*N+:N]) | target;
          end
        target = row_before;
      end
  end
endmodule
