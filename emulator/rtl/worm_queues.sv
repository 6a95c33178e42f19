// The wormhole buffer of a switch input (D 3.4.2, 8.4.1): the virtual queues VQ_W, one a destination, and the worm that
// the input sends.
//
// A queue whose oldest worm has a word here requests its output, unless a granted worm has not left the queue.
// `setup` clocks after its pass a granted worm begins to leave: one word in each clock with `open`, as they arrive.
// Its ports are released in the clock after that of its last word.
//
// A word that arrives in a clock can leave in the next one. The NIC does not send a word without a place.
module worm_queues #(
    parameter int N = 8,
    parameter int DEPTH = 16,  // words a destination, a power of 2
    parameter int WIDTH = 64,  // of a word
    parameter int LENGTH = 8,  // bits of `setup`
    localparam int P = $clog2(N),
    localparam int D = $clog2(DEPTH)
) (
    input  logic              clk,
    input  logic              reset,
    input  logic [LENGTH-1:0] setup,        // in clocks, at least 2
    input  logic              open,
    // From the NIC.
    input  logic              arrives,      // a word
    input  logic              tail,         // the last one of its worm
    input  logic [     P-1:0] destination,
    input  logic [ WIDTH-1:0] word,
    // From and to the scheduler.
    input  logic [     N-1:0] grant,        // of a pass in the last clock
    output logic [     N-1:0] request,
    output logic              holds,        // its ports, from the clock after the pass on
    output logic              releases,
    output logic [     P-1:0] to,           // the granted output
    // To the fabric: a word, since the last clock.
    output logic              sends,
    output logic [ WIDTH-1:0] out
);
  localparam logic [N-1:0] One = 1;
  logic [N*(D+1)-1:0] worms;  // by queue: worms that begin in it and are not granted
  logic [N-1:0] whole;        // the last word that arrived was a tail
  logic [N-1:0] empty, begins, held;
  logic sending, out_tail;    // from the grant to the last word
  logic [LENGTH-1:0] left;    // clocks until the granted worm may begin
  logic [P-1:0] granted_to;
  wire pulls = sending && !releases && left == 0 && open && !empty[to];
  assign releases = sends && out_tail;
  assign holds = sending || grant != 0;

  n_queue #(.N(N), .DEPTH(DEPTH), .WIDTH(WIDTH + 1)) queue (
      .clk(clk), .reset(reset), .push(arrives), .destination(destination), .in({tail, word}), .pull(pulls), .source(to),
      .out({out_tail, out}), .full(), .empty(empty)
  );

  always_comb begin
    begins = arrives ? whole & (One << destination) : '0;
    held = grant | (sending && !releases ? One << to : '0);
    for (int v = 0; v < N; v++) request[v] = worms[v*(D+1)+:D+1] != 0 && !held[v];
    granted_to = '0;
    for (int v = 0; v < N; v++) if (grant[v]) granted_to = P'(v);
  end

  always_ff @(posedge clk) begin
    for (int v = 0; v < N; v++)
      worms[v*(D+1)+:D+1] <= worms[v*(D+1)+:D+1] + (D + 1)'(begins[v]) - (D + 1)'(grant[v]);
    if (arrives) whole[destination] <= tail;
    sends <= pulls;
    if (left != 0) left <= left - 1'b1;
    if (releases) sending <= 0;
    if (grant != 0) begin
      sending <= 1;
      to <= granted_to;
      left <= setup - LENGTH'(2);
    end
    if (reset) begin
      worms <= '0;
      whole <= '1;
      sending <= 0;
      sends <= 0;
      left <= '0;
    end
  end
endmodule
