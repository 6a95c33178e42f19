// A NIC of predictive circuit switching (D 5.2, 8.3.2): the N-queue with the words of each destination, and the requests
// of their connections. One word a clock from the PE, and one to the link while the switch grants its destination.
//
// A word that enters in one clock can start in the next one. A message is offered with its first word, in one clock,
// also if that word has to wait for a place.
module nic #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int DEPTH = 16,  // words a destination, a power of 2
    parameter int WIDTH = 64,  // of a word
    parameter int BITS = 12,   // of `timeout`
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
    // From and to the switch.
    input  logic             granted,
    input  logic [    P-1:0] grant,
    input  logic [    N-1:0] lost,
    input  logic [    N-1:0] established,
    output logic [    N-1:0] request,
    output logic [    N-1:0] release_,
    output logic [    N-1:0] in_table,
    output logic             sends,        // a word, since the last clock
    output logic [WIDTH-1:0] link
);
  localparam logic [N-1:0] One = 1;
  logic [N-1:0] full, empty, left;
  logic offered;   // the message of this first word
  logic entering;  // a message whose last word has not entered
  logic [P-1:0] entering_to;
  wire pulls = granted && !empty[grant];
  wire offer = offers && first && !offered;
  assign accepted = offers && (!full[destination] || (pulls && grant == destination));

  n_queue #(.N(N), .DEPTH(DEPTH), .WIDTH(WIDTH)) queue (
      .clk(clk), .reset(reset), .push(offers), .destination(destination), .in(word), .pull(granted), .source(grant),
      .out(link), .full(full), .empty(empty)
  );
  nic_requests #(.N(N), .K(K), .BITS(BITS)) requests (
      .clk(clk), .reset(reset), .timeout(timeout), .flush(flush), .offer(offer), .destination(destination),
      .unsent(~empty | (entering ? One << entering_to : '0)), .left(left), .lost(lost), .established(established),
      .request(request), .release_(release_), .in_table(in_table)
  );

  always_ff @(posedge clk) begin
    offered <= offers && first && !accepted;
    if (offer) entering_to <= destination;
    if (offer) entering <= 1;
    if (accepted && last) entering <= 0;
    sends <= pulls;
    left <= pulls ? One << grant : '0;
    if (reset) begin
      offered <= 0;
      entering <= 0;
      sends <= 0;
      left <= '0;
    end
  end
endmodule
