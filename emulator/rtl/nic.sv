// A NIC of predictive circuit switching (D 5.2, 8.3.2): the N-queue with the words of each destination, and the requests
// of their connections. One word a clock from the PE, and one to the link while the switch grants its destination.
//
// A word that enters in one clock can start in the next one. A message is offered with its first word, in one clock,
// also if that word has to wait for a place.
//
// With WORMS (hybrid_nic.sv) a message travels as worms, unless the table has its connection, or data waits for it. The
// predictor sees all messages, and only the predictor requests connections; worms under way are a use of them.
module nic #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int DEPTH = 16,  // words a destination, a power of 2
    parameter int WIDTH = 64,  // of a word
    parameter int BITS = 12,   // of `timeout`
    parameter bit WORMS = 0,
    localparam int P = $clog2(N)
) (
    input  logic             clk,
    input  logic             reset,
    input  logic [ BITS-1:0] timeout,
    input  logic             flush,
    // From the PE.
    input  logic             offers,       // a word
    input  logic             first,        // of a message
    input  logic             last,
    input  logic [    P-1:0] destination,
    input  logic [WIDTH-1:0] word,
    output logic             accepted,     // the word enters in this clock
    output logic             by_worms,     // the word is one of a worm
    input  logic             worm_enters,  // it enters in this clock
    input  logic [    N-1:0] worms,        // words of worms that entered are under way to these destinations
    // From and to the switch.
    input  logic             granted,
    input  logic [    P-1:0] grant,
    input  logic [    N-1:0] lost,
    input  logic [    N-1:0] established,
    output logic [    N-1:0] request,
    output logic [    N-1:0] release_,
    output logic [    N-1:0] in_table,
    output logic [    N-1:0] unsent,       // data waits for these destinations, without a message of this clock
    output logic [    N-1:0] waits,        // data that can leave, with it
    output logic             pulls,        // a word, to the link
    output logic             sends,        // it, since the last clock
    output logic [WIDTH-1:0] link
);
  localparam logic [N-1:0] One = 1;
  logic [N-1:0] full, empty, left;
  logic offered;   // the message of this first word
  logic entering;  // a message whose last word has not entered
  logic entering_by_worms;
  logic [P-1:0] entering_to;
  logic [N-1:0] under_way;  // worms, with the words that have not entered
  assign pulls = granted && !empty[grant] && !under_way[grant];
  wire offer = offers && first && !offered;
  assign unsent = ~empty | (entering && !entering_by_worms ? One << entering_to : '0);
  assign by_worms = WORMS && offers && (offer ? !in_table[destination] && !unsent[destination] : entering_by_worms);
  wire enters = offers && !by_worms;
  assign accepted = enters && (!full[destination] || (pulls && grant == destination));
  assign under_way = WORMS ? worms | (entering && entering_by_worms ? One << entering_to : '0) : '0;
  assign waits = (unsent | (offer && !by_worms ? One << destination : '0)) & ~under_way;
  wire leaves_pe = accepted || (WORMS && worm_enters);

  n_queue #(.N(N), .DEPTH(DEPTH), .WIDTH(WIDTH)) queue (
      .clk(clk), .reset(reset), .push(enters), .destination(destination), .in(word), .pull(pulls), .source(grant),
      .out(link), .full(full), .empty(empty)
  );
  nic_requests #(.N(N), .K(K), .BITS(BITS), .WORMS(WORMS)) requests (
      .clk(clk), .reset(reset), .timeout(timeout), .flush(flush), .offer(offer), .destination(destination),
      .by_worms(by_worms), .unsent(unsent), .worms(under_way), .left(left), .lost(lost), .established(established),
      .request(request), .release_(release_), .in_table(in_table)
  );

  always_ff @(posedge clk) begin
    offered <= offers && first && !leaves_pe;
    if (offer) entering_to <= destination;
    if (offer) entering_by_worms <= by_worms;
    if (offer) entering <= 1;
    if (leaves_pe && last) entering <= 0;
    sends <= pulls;
    left <= pulls ? One << grant : '0;
    if (reset) begin
      offered <= 0;
      entering <= 0;
      entering_by_worms <= 0;
      sends <= 0;
      left <= '0;
    end
  end
endmodule
