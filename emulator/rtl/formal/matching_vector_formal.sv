// Properties of matching_vector.sv after a reset, for every slot and priority. PROPERTY selects one:
//   0 slot: the slot is a partial permutation then, and gets only requested connections that no slot holds
//   1 maximum: after at most 3 N^2 (N + 2) / 2 clocks it ends, and there is no augmenting path (matching_logic.sv)
module matching_vector_formal #(
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
  logic [7:0] clocks = 0, rows_read = 0;
  logic [M-1:0] request, established, slot, matched;
  logic [P-1:0] a, b;
  wire loads = clocks != 0 && 32'(clocks) <= N;
  wire start = 32'(clocks) == N + 1;
  wire after_start = 32'(clocks) > N + 1;
  wire done;
  wire [P-1:0] row = loads ? P'(clocks - 8'd1) : P'(rows_read);
  wire [M-1:0] greedy;
  wire [N-1:0] row_matched;
  greedy_pass #(.N(N)) first (
      .request(request), .established(established), .slot(slot), .a(a), .b(b), .toggle(greedy)
  );
  matching_vector #(.N(N)) vector (
      .clk(clk), .reset(clocks == 0), .load(loads), .row(row), .request(request[row*N+:N]),
      .established(established[row*N+:N]), .slot(slot[row*N+:N]), .toggle(greedy[row*N+:N]), .start(start),
      .odd_steps((P + 1)'(N)), .done(done), .matched(row_matched)
  );
  `include "is_permutation.svh"
  wire complete = 32'(rows_read) == N + 1;
  wire [M-1:0] next = (slot & request) | matched;
  wire improves;
  matching_logic #(.N(N)) path (
      .request(request), .established(established), .slot(slot), .toggle((slot & ~request) | matched),
      .odd_steps((P + 1)'(N)), .improves(improves), .better()
  );

  always_ff @(posedge clk) begin
    if (clocks != '1) clocks <= clocks + 1'b1;
    if (clocks == 0) begin
      request <= any_request;
      established <= any_established;
      slot <= any_slot;
      a <= any_a;
      b <= any_b;
    end
    // A row is there one clock after its number.
    if (after_start && done && !complete) rows_read <= rows_read + 1'b1;
    for (int u = 0; u < N; u++) if (32'(rows_read) == u + 1 && !complete) matched[u*N+:N] <= row_matched;
  end
  always_comb begin
    assume (is_permutation(any_slot) && (any_slot & ~any_established) == 0 && 32'(any_a) < N && 32'(any_b) < N);
    if (complete && PROPERTY == 0)
      assert (is_permutation(next) && (matched & ~(request & ~established)) == 0);
    if (complete && PROPERTY == 1) assert (!improves);
    if (after_start && PROPERTY == 1) assert (done || 32'(clocks) <= N + 1 + 3 * M * (N + 2) / 2);
  end
endmodule
