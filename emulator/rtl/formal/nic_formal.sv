// Properties of nic.sv with its requests (nic_requests.sv) from the reset on, for every PE, grant, flush and notice, with
// K = 1. PROPERTY selects one:
//   0 words: words leave to the granted destination only, in the order in which they entered, unchanged, each once
//   1 request: while data waits for a destination, the table has its connection, or the switch has a request that is
//     neither released nor flushed nor lost; only connections that data waits for are requested
//   2 release: none is released while data waits for it, and only what was requested last or is in the table
//   3 time-out: what is requested or in the table without data is used at least every `timeout` clocks
module nic_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic flush,
    input logic offers,
    input logic mark,  // the offered word is the next watched one
    input logic any_last,
    input logic [P-1:0] any_destination,
    input logic granted,
    input logic [P-1:0] grant,
    input logic [N-1:0] lost,
    input logic [N-1:0] established
);
  localparam int BITS = 3, DEPTH = 2;
  localparam logic [N-1:0] One = 1;
  localparam logic [BITS-1:0] Timeout = 2;
  logic started = 0;
  // The PE: a message's words one after the other; a word that is offered stays until it enters.
  logic in_message = 0, stays = 0, stays_last = 0, stays_marked = 0;
  logic [P-1:0] to = 0;
  logic [1:0] marked = 0, seen = 0;  // watched words that entered and left: 1 and 2; all others are 0
  wire first = !in_message;
  wire last = stays ? stays_last : any_last;
  wire [P-1:0] destination = in_message || stays ? to : any_destination;
  wire marks = (stays ? stays_marked : mark) && marked != 2 && (marked == 0 || destination == watched);
  logic [P-1:0] watched = 0;  // destination of the watched words
  wire accepted, pulls, sends;
  wire [N-1:0] request, release_, in_table;
  wire [1:0] link;
  nic #(.N(N), .K(1), .DEPTH(DEPTH), .WIDTH(2), .BITS(BITS)) card (
      .clk(clk), .reset(!started), .timeout(Timeout), .flush(started && flush), .offers(started && offers), .first(first),
      .last(last), .destination(destination), .word(marks ? marked + 2'd1 : 2'd0), .accepted(accepted), .by_worms(),
      .worm_enters(1'b0), .worms('0), .granted(granted), .grant(grant), .lost(started ? lost : '0),
      .established(started ? established : '0), .request(request), .release_(release_), .in_table(in_table), .unsent(),
      .waits(), .pulls(pulls), .sends(sends), .link(link)
  );

  logic [N*2-1:0] words = '0;  // by destination: that entered and have not left
  logic [N*4-1:0] idle = '0;   // clocks since the last use
  logic [N-1:0] asked = '0, last_request = '0, by_message = '0, data, offered;
  logic pulled = 0;  // from the watched destination
  logic [P-1:0] pulled_from = 0;
  always_comb begin
    offered = started && offers && first && !stays ? One << destination : '0;
    for (int v = 0; v < N; v++)
      data[v] = words[v*2+:2] != 0 || ((in_message || stays) && 32'(to) == v);
  end
  always_ff @(posedge clk) begin
    started <= 1;
    if (started) begin
      if (offers) to <= destination;
      stays <= offers && !accepted;
      stays_last <= last;
      stays_marked <= marks;
      if (offers && accepted) in_message <= !last;
      if (accepted && marks) marked <= marked + 1'b1;
      if (accepted && marks && marked == 0) watched <= destination;
      for (int v = 0; v < N; v++) begin
        words[v*2+:2] <= words[v*2+:2] + 2'(accepted && 32'(destination) == v) - 2'(pulls && 32'(grant) == v);
        idle[v*4+:4] <= offered[v] || data[v] || !by_message[v] ? '0 : idle[v*4+:4] + 1'b1;
      end
      asked <= (asked & ~(lost | release_ | {N{flush}})) | request;
      last_request <= (last_request & ~(release_ | {N{flush}})) | request;
      by_message <= (by_message & ~(release_ | {N{flush}})) | (request & offered);
      pulled <= pulls;
      pulled_from <= grant;
      if (pulled && link != 0) seen <= link;
    end
  end
  always_comb begin
    assume ((lost & ~in_table) == 0 && (established & in_table & ~lost) == 0);
    if (started && stays) assume (offers);
    if (started && PROPERTY == 0) begin
      assert (!pulls || (granted && words[grant*2+:2] != 0));
      assert (sends == pulled && (!pulled || link == 0 || (pulled_from == watched && link == seen + 2'd1 && link <= marked)));
      assert (words[watched*2+:2] != 0 || seen + 2'(pulled && link != 0) == marked);
    end
    if (started && PROPERTY == 1)
      assert ((data & ~in_table & ~asked) == 0 && (request & ~data & ~offered) == 0);
    if (started && PROPERTY == 2)
      assert ((release_ & (data | offered)) == 0 && (release_ & ~last_request & ~in_table & ~established) == 0);
    if (started && PROPERTY == 3)
      for (int v = 0; v < N; v++) assert (idle[v*4+:4] <= 4'(Timeout) + 1);
  end
endmodule
