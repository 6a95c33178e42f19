// Properties of matching_matrix.sv from a start on, for every slot and priority. PROPERTY selects one:
//   0 slot: the slot is a partial permutation in each clock, gets only requested connections that no slot holds, and never
//     has fewer connections than the clock before
//   1 maximum: after at most 2 N^2 clocks it ends, and there is no augmenting path (matching_logic.sv)
module matching_matrix_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int M = N * N,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [M-1:0] any_request,
    input logic [M-1:0] any_established,
    input logic [M-1:0] any_slot,
    input logic [P-1:0] any_a,
    input logic [P-1:0] any_b
);
  logic started = 0;
  logic [M-1:0] request, established, slot;
  logic [P-1:0] a, b;
  logic [7:0] clocks = 0, last_size = 0;
  wire start = started && clocks == 0;
  wire done, improves;
  wire [M-1:0] toggle;
  matching_matrix #(.N(N)) matrix (
      .clk(clk), .start(start), .request(request), .established(established), .slot(slot), .a(a), .b(b),
      .odd_steps((P + 1)'(N)), .done(done), .toggle(toggle)
  );
  matching_logic #(.N(N)) path (
      .request(request), .established(established), .slot(slot), .toggle(toggle), .odd_steps((P + 1)'(N)),
      .improves(improves), .better()
  );

  `include "is_permutation.svh"
  wire [M-1:0] next = slot ^ toggle;
  logic [7:0] size;
  always_comb begin
    size = '0;
    for (int i = 0; i < M; i++) size = size + 8'(next[i]);
  end
  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) begin
      request <= any_request;
      established <= any_established;
      slot <= any_slot;
      a <= any_a;
      b <= any_b;
    end else if (clocks != '1) clocks <= clocks + 1'b1;
    last_size <= clocks == 0 ? '0 : size;
  end
  always_comb begin
    if (!started) assume (done);
    assume (is_permutation(any_slot) && (any_slot & ~any_established) == 0 && 32'(any_a) < N && 32'(any_b) < N);
    if (clocks != 0 && PROPERTY == 0)
      assert (is_permutation(next) && (next & ~slot & ~(request & ~established)) == 0 && size >= last_size);
    if (clocks != 0 && PROPERTY == 1) assert (done ? !improves : 32'(clocks) <= 2 * M);
  end
endmodule
