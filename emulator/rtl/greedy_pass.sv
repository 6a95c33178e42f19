// One pass of the greedy scheduler over slot s (D 5.3): pre-scheduling logic (Table 5.1), rotating priority, SL array.
//
//   request      R: bit u * N + v is the request of input u for output v
//   established  B*: the union of all slots
//   slot         B^(s), a partial permutation and a part of B*
//   a, b         input and output of highest priority, below N (D 5.3.2, last paragraph but one)
//   toggle       T: the bits of B^(s) that change
//
// Combinational. The priority rotates the array's inputs and un-rotates its output: an array that wraps round would
// be a combinational loop.
module greedy_pass #(
    parameter int N = 8,
    parameter bit CELLS = 1,
    localparam int P = $clog2(N)
) (
    input  logic [N*N-1:0] request,
    input  logic [N*N-1:0] established,
    input  logic [N*N-1:0] slot,
    input  logic [  P-1:0] a,
    input  logic [  P-1:0] b,
    output logic [N*N-1:0] toggle
);
  // (i + x) mod N, for i and x of at most N.
  function automatic logic [P-1:0] sum(input logic [P:0] i, input logic [P:0] x);
    if ({1'b0, i} + {1'b0, x} >= (P + 2)'(N)) sum = P'({1'b0, i} + {1'b0, x} - (P + 2)'(N));
    else sum = P'({1'b0, i} + {1'b0, x});
  endfunction

  logic [N*N-1:0] establish, release_, turned;
  logic [N-1:0] inputs_in_use, outputs_in_use, outputs, row_request, row_established, row_slot;
  always_comb begin
    outputs = '0;
    for (int i = 0; i < N; i++) begin
      row_request = request[32'(sum((P+1)'(i), {1'b0, a}))*N+:N];
      row_established = established[32'(sum((P+1)'(i), {1'b0, a}))*N+:N];
      row_slot = slot[32'(sum((P+1)'(i), {1'b0, a}))*N+:N];
      // Each row turned right by b: bit j is output (j + b) mod N.
      establish[i*N+:N] = N'({2{row_request & ~row_established}} >> b);
      release_[i*N+:N] = N'({2{row_slot & ~row_request}} >> b);
      inputs_in_use[i] = |row_slot;
      outputs |= row_slot;
    end
    outputs_in_use = N'({2{outputs}} >> b);
  end

  greedy_array #(
      .N(N),
      .CELLS(CELLS)
  ) array (
      .establish(establish),
      .release_(release_),
      .inputs_in_use(inputs_in_use),
      .outputs_in_use(outputs_in_use),
      .toggle(turned)
  );

  // Back: row u is row (u - a) mod N of the array, each row turned left by b.
  always_comb
    for (int u = 0; u < N; u++)
      toggle[u*N+:N] = N'(({2{turned[32'(sum((P+1)'(u), (P+1)'(N)-{1'b0, a}))*N+:N]}} << b) >> N);
endmodule
