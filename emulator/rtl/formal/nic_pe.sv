// The PE of a NIC for its proofs, and a model of the words in the NIC. The words of a message are offered one after the
// other, each until it enters. Two watched words of one destination have the values 1 and 2, all others 0.
module nic_pe #(
    parameter int N = 2,
    localparam int P = $clog2(N)
) (
    input  logic         clk,
    input  logic         started,
    input  logic         offers,
    input  logic         mark,  // the offered word is the next watched one
    input  logic         any_last,
    input  logic [P-1:0] any_destination,
    output logic         first,
    output logic         last,
    output logic [P-1:0] destination,
    output logic [  1:0] word,
    input  logic         accepted,
    input  logic         pulls,
    input  logic [P-1:0] from,  // of the word that is pulled
    input  logic         sends,
    input  logic [  1:0] link,
    output logic [N-1:0] offered,   // a message, since this clock
    output logic [N-1:0] data,      // waits, without it
    output logic         in_order   // words leave as they entered, each once
);
  localparam logic [N-1:0] One = 1;
  logic in_message = 0, stays = 0, stays_last = 0, stays_marked = 0;
  logic [P-1:0] to = 0, watched = 0, pulled_from = 0;
  logic [1:0] marked = 0, seen = 0;  // watched words that entered and left
  logic pulled = 0;
  logic [N*3-1:0] words = '0;  // by destination: that entered and have not left
  wire marks = (stays ? stays_marked : mark) && marked != 2 && (marked == 0 || destination == watched);
  assign first = !in_message;
  assign last = stays ? stays_last : any_last;
  assign destination = in_message || stays ? to : any_destination;
  assign word = marks ? marked + 2'd1 : 2'd0;
  assign offered = offers && first && !stays ? One << destination : '0;
  always_comb begin
    for (int v = 0; v < N; v++) data[v] = words[v*3+:3] != 0 || ((in_message || stays) && 32'(to) == v);
    in_order = (!pulls || words[from*3+:3] != 0) && sends == pulled &&
        (!pulled || link == 0 || (pulled_from == watched && link == seen + 2'd1 && link <= marked)) &&
        (words[watched*3+:3] != 0 || seen + 2'(pulled && link != 0) == marked);
    if (started && stays) assume (offers);
  end
  always_ff @(posedge clk)
    if (started) begin
      if (offers) to <= destination;
      stays <= offers && !accepted;
      stays_last <= last;
      stays_marked <= marks;
      if (accepted) in_message <= !last;
      if (accepted && marks) marked <= marked + 1'b1;
      if (accepted && marks && marked == 0) watched <= destination;
      for (int v = 0; v < N; v++)
        words[v*3+:3] <= words[v*3+:3] + 3'(accepted && 32'(destination) == v) - 3'(pulls && 32'(from) == v);
      pulled <= pulls;
      pulled_from <= from;
      if (pulled && link != 0) seen <= link;
    end
endmodule
