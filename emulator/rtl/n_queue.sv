// The N-queue of D 8.3.2, Figure 8.3: N queues in one memory with one write port and one read port. Each queue has
// DEPTH words; pointers are in register files with three ports.
//
//   push          writes `in` to queue `destination`; ignored if that is full and this clock does not pull from it
//   pull          reads the oldest word of queue `source`, unless that is empty; `out` has it one clock later
//   full, empty   by queue, before the push and pull of this clock
//
// One push and one pull a clock, of the same queue or of two. A word that is pushed can be pulled in the next clock.
// D swaps the conditions of full and empty; here a queue is empty if its pointers are the same, and full if they
// differ in their uppermost bit only.
module n_queue #(
    parameter int N = 4,
    parameter int DEPTH = 4,  // a power of 2
    parameter int WIDTH = 64,
    localparam int P = N > 1 ? $clog2(N) : 1,
    localparam int D = $clog2(DEPTH)
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             push,
    input  logic [    P-1:0] destination,
    input  logic [WIDTH-1:0] in,
    input  logic             pull,
    input  logic [    P-1:0] source,
    output logic [WIDTH-1:0] out,
    output logic [    N-1:0] full,
    output logic [    N-1:0] empty
);
  logic [WIDTH-1:0] words[(N > 1 ? N : 2)*DEPTH];
  // Head: the next word to pull; tail: the next place. Ports: read for the access, write back, flags of all queues.
  logic [D:0] head[N];
  logic [D:0] tail[N];
  always_comb
    for (int q = 0; q < N; q++) begin
      empty[q] = head[q] == tail[q];
      full[q]  = (head[q] ^ tail[q]) == (D + 1)'(DEPTH);
    end

  wire pulls = pull && !empty[source];
  wire pushes = push && (!full[destination] || (pulls && source == destination));
  wire [D:0] push_at = tail[destination];
  wire [D:0] pull_at = head[source];
  always_ff @(posedge clk) begin
    if (pushes) words[{destination, push_at[D-1:0]}] <= in;
    if (pulls) out <= words[{source, pull_at[D-1:0]}];
  end
  always_ff @(posedge clk) begin
    if (pushes) tail[destination] <= push_at + 1'b1;
    if (pulls) head[source] <= pull_at + 1'b1;
    if (reset)
      for (int q = 0; q < N; q++) begin
        head[q] <= '0;
        tail[q] <= '0;
      end
  end
endmodule
