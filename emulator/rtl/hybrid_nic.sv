// The NIC of the hybrid switch (D 3.4.1, Figure 3.7): the virtual queues of the circuits and Q_W of the worms, which share
// one link (emulator/switching/hybrid.h).
//
// The link carries a word of the circuit that the switch grants, if data of its connection can leave. From then on it
// belongs to the circuit until no data of it is left or the slot ends; otherwise it carries worms.
module hybrid_nic #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int DEPTH = 16,   // words of each queue, a power of 2
    parameter int PLACES = 16,  // words a destination, in the switch
    parameter int WIDTH = 64,   // of a word
    parameter int BITS = 12,    // of `timeout`
    localparam int P = $clog2(N)
) (
    input  logic             clk,
    input  logic             reset,
    input  logic [ BITS-1:0] timeout,
    input  logic [      7:0] length,       // of worms, in words
    input  logic             flush,
    // From the PE.
    input  logic             offers,
    input  logic             first,
    input  logic             last,
    input  logic [    P-1:0] destination,
    input  logic [WIDTH-1:0] word,
    output logic             accepted,
    output logic             by_worms,     // the word is one of a worm
    // From and to the switch.
    input  logic             begins,       // the NIC sees another slot from this clock on
    input  logic             granted,
    input  logic [    P-1:0] grant,
    input  logic [    N-1:0] lost,
    input  logic [    N-1:0] established,
    input  logic             credit,
    input  logic [    P-1:0] credit_of,
    output logic [    N-1:0] request,
    output logic [    N-1:0] release_,
    output logic [    N-1:0] in_table,
    output logic [    N-1:0] waits,        // data that can leave waits for these circuits
    output logic             sends,        // a word, since the last clock
    output logic             worm,         // it is one of a worm
    output logic             tail,
    output logic [    P-1:0] link_to,      // of a worm
    output logic [WIDTH-1:0] link
);
  wire circuit_accepted, circuit_sends, worm_accepted, circuit_pulls;
  wire [WIDTH-1:0] circuit_link, worm_link;
  wire [N-1:0] under_way, unsent;
  logic owned;  // the link, by the circuit to `owner`
  logic [P-1:0] owner;
  wire keeps = owned && !begins && unsent[owner];
  assign accepted = circuit_accepted || worm_accepted;
  assign sends = circuit_sends || worm;
  assign link = worm ? worm_link : circuit_link;

  nic #(.N(N), .K(K), .DEPTH(DEPTH), .WIDTH(WIDTH), .BITS(BITS), .WORMS(1)) circuits (
      .clk(clk), .reset(reset), .timeout(timeout), .flush(flush), .offers(offers), .first(first), .last(last),
      .destination(destination), .word(word), .accepted(circuit_accepted), .by_worms(by_worms),
      .worm_enters(worm_accepted), .worms(under_way), .granted(granted), .grant(grant), .lost(lost),
      .established(established), .request(request), .release_(release_), .in_table(in_table), .unsent(unsent),
      .waits(waits), .pulls(circuit_pulls), .sends(circuit_sends), .link(circuit_link)
  );
  worm_nic #(.N(N), .DEPTH(DEPTH), .PLACES(PLACES), .WIDTH(WIDTH)) worms (
      .clk(clk), .reset(reset), .length(length), .offers(by_worms), .last(last), .destination(destination), .word(word),
      .accepted(worm_accepted), .credit(credit), .credit_of(credit_of), .may_send(!circuit_pulls && !keeps),
      .sends(worm), .tail(tail), .link_to(link_to), .link(worm_link), .under_way(under_way)
  );

  always_ff @(posedge clk) begin
    owned <= !reset && (circuit_pulls || keeps);
    if (circuit_pulls) owner <= grant;
  end
endmodule
