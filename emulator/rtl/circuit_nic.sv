// A NIC of circuit switching (D 8.4.2): the N-queue with the words of each destination, and the requests of their circuits
// (emulator/switching/circuit.cpp). One word a clock from the PE, and one to the link while the NIC holds a circuit.
//
// A message that is offered requests its circuit, unless that is requested or held. The NIC holds a granted circuit until
// no data of it waits, and then releases it.
module circuit_nic #(
    parameter int N = 8,
    parameter int DEPTH = 16,  // words a destination, a power of 2
    parameter int WIDTH = 64,  // of a word
    localparam int P = $clog2(N)
) (
    input  logic             clk,
    input  logic             reset,
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
    output logic [    N-1:0] request,      // control words of this clock
    output logic             release_,
    output logic [    N-1:0] held,         // the circuit, before the grant of this clock
    output logic             sends,        // a word, since the last clock
    output logic [WIDTH-1:0] link
);
  localparam logic [N-1:0] One = 1;
  logic [N-1:0] full, empty, requested, offered_to, unsent, holds;
  logic offered;   // the message of this first word
  logic entering;  // a message whose last word has not entered
  logic [P-1:0] entering_to, owner;
  wire [P-1:0] from = granted ? grant : owner;
  wire pulls = (holds & ~empty) != 0;
  wire offer = offers && first && !offered;
  assign accepted = offers && (!full[destination] || (pulls && from == destination));
  assign offered_to = offer ? One << destination : '0;
  assign unsent = ~empty | (entering ? One << entering_to : '0) | offered_to;
  assign request = offered_to & ~requested & ~held;
  assign release_ = (held & ~unsent) != 0;
  assign holds = granted ? One << grant : held & unsent;

  n_queue #(.N(N), .DEPTH(DEPTH), .WIDTH(WIDTH)) queue (
      .clk(clk), .reset(reset), .push(offers), .destination(destination), .in(word), .pull(pulls), .source(from),
      .out(link), .full(full), .empty(empty)
  );

  always_ff @(posedge clk) begin
    offered <= offers && first && !accepted;
    if (offer) entering_to <= destination;
    if (offer) entering <= 1;
    if (accepted && last) entering <= 0;
    requested <= (requested | request) & ~holds;
    held <= holds;
    owner <= from;
    sends <= pulls;
    if (reset) begin
      offered <= 0;
      entering <= 0;
      requested <= '0;
      held <= '0;
      sends <= 0;
    end
  end
endmodule
