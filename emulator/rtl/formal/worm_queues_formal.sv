// Properties of worm_queues.sv behind worm_nic.sv, from the reset on, for every sequence of words and grants. PROPERTY
// selects one:
//   0 number: the NIC sends no word to a full queue
//   1 order: two words that enter one after the other for one destination leave in that order, unchanged, once
// A model watches one destination: `watched` and the two words are arbitrary. The watched words have the values 1 and 2;
// all other words have the value 0.
module worm_queues_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic offers,
    input logic last,
    input logic [P-1:0] destination,
    input logic [P-1:0] any_destination,
    input logic mark,  // this word is the next watched one
    input logic may_send,
    input logic open,
    input logic [N-1:0] may_grant
);
  localparam int DEPTH = 2;
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  logic [P-1:0] watched;
  logic [1:0] marked = 0, seen = 0;  // watched words that entered and left
  logic [2:0] words = 0;  // in the watched queue of the switch
  wire accepted, arrives, tail, sends, holds, releases;
  wire [P-1:0] link_to, to;
  wire [1:0] link, out;
  wire [N-1:0] request, under_way;
  wire marks = accepted && mark && destination == watched && marked != 2;
  worm_nic #(.N(N), .DEPTH(2), .PLACES(DEPTH), .WIDTH(2)) nic (
      .clk(clk), .reset(!started), .length(8'd2), .offers(offers && started), .last(last), .destination(destination),
      .word(marks ? marked + 2'd1 : 2'd0), .accepted(accepted), .credit(sends), .credit_of(to), .may_send(may_send),
      .sends(arrives), .tail(tail), .link_to(link_to), .link(link), .under_way(under_way)
  );
  // The scheduler: one requested output in the next clock, while the input holds none.
  logic [N-1:0] granted = '0;
  worm_queues #(.N(N), .DEPTH(DEPTH), .WIDTH(2)) queues (
      .clk(clk), .reset(!started), .setup(8'd2), .open(open), .arrives(arrives), .tail(tail), .destination(link_to),
      .word(link), .grant(granted), .request(request), .holds(holds), .releases(releases), .to(to), .sends(sends),
      .out(out)
  );
  wire [N-1:0] choice = request & may_grant;
  wire leaves = sends && to == watched;
  wire enters = arrives && link_to == watched;
  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) watched <= any_destination;
    granted <= started && (!holds || releases) ? choice & (~choice + One) : '0;
    if (marks) marked <= marked + 1'b1;
    if (started && leaves && out != 0) seen <= out;
    words <= started ? words + 3'(enters) - 3'(leaves) : '0;
  end
  always_comb begin
    if (started && PROPERTY == 0) assert (!(enters && words == 3'(DEPTH) && !leaves) && words <= 3'(DEPTH));
    if (started && PROPERTY == 1 && sends)
      assert (to == watched ? out == 0 || (out == seen + 2'd1 && out <= marked) : out == 0);
    // When no word of the destination is under way, each has left.
    if (started && PROPERTY == 1 && !under_way[watched]) assert (seen == marked || leaves);
  end
endmodule
