// The sending side of a NIC for worms (D 3.4.1, 8.4.1): the single queue Q_W, and the places of its virtual queues in the
// switch (emulator/network/worm_switches.h). One word a clock from the PE, and one to the link in a clock with `may_send`
// if the switch has a place for it.
//
// A message travels as worms of `length` words, the last of them shorter. A word that enters in one clock can start in the
// next one. A place is free from the clock on in which it comes back.
module worm_nic #(
    parameter int N = 8,
    parameter int DEPTH = 16,   // words of Q_W, a power of 2
    parameter int PLACES = 16,  // words a destination, in the switch
    parameter int WIDTH = 64,   // of a word
    parameter int BITS = 8,     // of `length`
    localparam int P = $clog2(N),
    localparam int D = $clog2(DEPTH),
    localparam int C = $clog2(PLACES + 1),
    localparam int U = $clog2(DEPTH + PLACES + 1)
) (
    input  logic             clk,
    input  logic             reset,
    input  logic [ BITS-1:0] length,
    // From the PE.
    input  logic             offers,       // a word
    input  logic             last,         // of a message
    input  logic [    P-1:0] destination,
    input  logic [WIDTH-1:0] word,
    output logic             accepted,     // the word enters in this clock
    // From and to the switch.
    input  logic             credit,       // a place in queue `credit_of` is free
    input  logic [    P-1:0] credit_of,
    input  logic             may_send,
    output logic             sends,        // a word, since the last clock
    output logic             tail,         // the last one of its worm
    output logic [    P-1:0] link_to,
    output logic [WIDTH-1:0] link,
    output logic [    N-1:0] under_way     // words that entered for these destinations have not left the switch
);
  logic [N*C-1:0] places;    // by destination
  logic [N*U-1:0] entered;   // words whose place has not come back
  logic [BITS-1:0] worm;   // words of this worm that have entered
  logic full, empty;
  // The marks of the words in Q_W: known before a word is read.
  logic [P:0] marks[DEPTH];
  logic [D-1:0] push_at, pull_at;
  wire [P-1:0] next_to = marks[pull_at][P-1:0];
  logic has_place;
  wire pulls = may_send && !empty && has_place;
  wire ends = last || worm == length - 1'b1;
  assign accepted = offers && (!full || pulls);

  n_queue #(.N(1), .DEPTH(DEPTH), .WIDTH(WIDTH)) queue (
      .clk(clk), .reset(reset), .push(offers), .destination(1'b0), .in(word), .pull(pulls), .source(1'b0), .out(link),
      .full(full), .empty(empty)
  );

  logic [N*U-1:0] left;  // of `entered`, with the place that comes back
  always_comb begin
    has_place = credit && credit_of == next_to;
    for (int v = 0; v < N; v++) begin
      if (32'(next_to) == v && places[v*C+:C] != 0) has_place = 1;
      left[v*U+:U] = entered[v*U+:U] - U'(credit && 32'(credit_of) == v);
      under_way[v] = left[v*U+:U] != 0;
    end
  end

  always_ff @(posedge clk) begin
    if (accepted) begin
      marks[push_at] <= {ends, destination};
      push_at <= push_at + 1'b1;
      worm <= ends ? '0 : worm + 1'b1;
    end
    sends <= pulls;
    if (pulls) begin
      {tail, link_to} <= marks[pull_at];
      pull_at <= pull_at + 1'b1;
    end
    for (int v = 0; v < N; v++) begin
      places[v*C+:C] <= places[v*C+:C] + C'(credit && 32'(credit_of) == v) - C'(pulls && 32'(next_to) == v);
      entered[v*U+:U] <= left[v*U+:U] + U'(accepted && 32'(destination) == v);
    end
    if (reset) begin
      entered <= '0;
      places <= {N{C'(PLACES)}};
      worm <= '0;
      push_at <= '0;
      pull_at <= '0;
      sends <= 0;
    end
  end
endmodule
