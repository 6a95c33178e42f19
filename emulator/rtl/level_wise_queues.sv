// Two queues of DEPTH words in one memory with one write port and one read port, with flags in registers: their path to
// `pull` is short.
//
//   push   writes `in` to queue `destination`; not while `full`
//   pull   reads the oldest word of queue `source`, unless that is empty; `out` has it two clocks later
//   full   one of the queues is full, before the push and pull of this clock
//   empty  by queue, before the push and pull of this clock
//
// One push and one pull a clock, of the same queue or of two. A word that is pushed can be pulled in the next clock.
module level_wise_queues #(
    parameter int DEPTH = 4,  // a power of 2
    parameter int WIDTH = 10,
    localparam int D = $clog2(DEPTH)
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             push,
    input  logic             destination,
    input  logic [WIDTH-1:0] in,
    input  logic             pull,
    input  logic             source,
    output logic [WIDTH-1:0] out,
    output logic             full,
    output logic [      1:0] empty
);
  logic [WIDTH-1:0] words[2*DEPTH];
  logic [WIDTH-1:0] read;
  wire [2*D-1:0] heads, tails;
  wire [1:0] fills;
  always_ff @(posedge clk) begin
    if (push) words[{destination, destination ? tails[D+:D] : tails[0+:D]}] <= in;
    read <= words[{source, source ? heads[D+:D] : heads[0+:D]}];
    out <= read;
    full <= !reset && fills != 2'b00;
  end
  for (genvar q = 0; q < 2; q++) begin : g_queue
    logic is_full;
    logic [D-1:0] head, after_head, tail, after_tail;  // the next word to pull, the next place; and one more each
    assign heads[q*D+:D] = head;
    assign tails[q*D+:D] = tail;
    wire pulls = pull && source == q && !empty[q];
    wire pushes = push && destination == q;
    assign fills[q] = !pulls && (is_full || (pushes && after_tail == head));
    always_ff @(posedge clk) begin
      // Sums instead of conditions: an iCE40's clock enable of many registers is slow.
      head <= head + D'(pulls);
      after_head <= after_head + D'(pulls);
      tail <= tail + D'(pushes);
      after_tail <= after_tail + D'(pushes);
      empty[q] <= !pushes && (empty[q] || (pulls && after_head == tail));
      is_full <= fills[q];
      if (reset) begin
        head <= '0;
        after_head <= 1;
        tail <= '0;
        after_tail <= 1;
        empty[q] <= 1;
        is_full <= 0;
      end
    end
  end
endmodule
