// Properties of n_queue.sv, from the reset on, for every sequence of pushes and pulls. PROPERTY selects one:
//   0 number: a queue never has more than DEPTH words, and is full or empty exactly when it has DEPTH or 0
//   1 order: two words that are pushed one after the other into one queue leave it in that order, unchanged, once
// A model watches one queue: `watched` and the two pushes are arbitrary. The watched words have the values 1 and 2; all
// other words have the value 0.
module n_queue_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic push,
    input logic pull,
    input logic [P-1:0] destination,
    input logic [P-1:0] source,
    input logic [P-1:0] any_queue,
    input logic mark  // this push has the next watched word
);
  localparam int DEPTH = 4;
  logic started = 0;
  logic [P-1:0] watched;
  logic [1:0] marked = 0, seen = 0;  // watched words pushed and pulled
  logic [2:0] words = 0;  // in the watched queue
  logic pulled = 0;  // `out` is of the watched queue
  wire [N-1:0] full, empty;
  wire [1:0] out;
  wire pulls = started && pull && source == watched && !empty[watched];
  wire pushes = started && push && destination == watched && (!full[watched] || pulls);
  wire marks = pushes && mark && marked != 2;

  n_queue #(.N(N), .DEPTH(DEPTH), .WIDTH(2)) queue (
      .clk(clk), .reset(!started), .push(push && started), .destination(destination),
      .in(marks ? marked + 2'd1 : 2'd0), .pull(pull && started), .source(source), .out(out), .full(full), .empty(empty)
  );

  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) watched <= any_queue;
    if (marks) marked <= marked + 1'b1;
    words <= words + 3'(pushes) - 3'(pulls);
    pulled <= pulls;
    if (pulled && out != 0) seen <= out;
  end

  always_comb begin
    if (started && PROPERTY == 0)
      assert (words <= DEPTH && full[watched] == (words == DEPTH) && empty[watched] == (words == 0));
    if (started && PROPERTY == 1 && pulled) assert (out == 0 || (out == seen + 2'd1 && out <= marked));
    // An empty queue has given out every word.
    if (started && PROPERTY == 1 && empty[watched]) assert (seen + 2'(pulled && out != 0) == marked);
  end
endmodule
