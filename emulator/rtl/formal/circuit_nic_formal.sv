// Properties of circuit_nic.sv from the reset on, for every PE, and every grant of a requested circuit while none is held.
// PROPERTY selects one:
//   0 words: words leave over the held circuit only, in the order in which they entered, unchanged, each once
//   1 request: while data waits for a destination, its circuit is held or requested, and it is requested once for a grant
//   2 release: exactly a held circuit without data is released
module circuit_nic_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic offers,
    input logic mark,
    input logic any_last,
    input logic [P-1:0] any_destination,
    input logic granted,
    input logic [P-1:0] grant
);
  localparam logic [N-1:0] One = 1;
  logic started = 0, sent = 0;
  wire first, last, accepted, release_, sends, in_order;
  wire [P-1:0] destination;
  wire [1:0] word, link;
  wire [N-1:0] request, held, data, offered;
  (* hierconn *) wire \card.pulls ;
  (* hierconn *) wire [P-1:0] \card.from ;
  nic_pe #(.N(N)) pe (
      .clk(clk), .started(started), .offers(started && offers), .mark(mark), .any_last(any_last),
      .any_destination(any_destination), .first(first), .last(last), .destination(destination), .word(word),
      .accepted(accepted), .pulls(\card.pulls ), .from(\card.from ), .sends(sends), .link(link), .offered(offered),
      .data(data), .in_order(in_order)
  );
  wire gets = started && granted;
  circuit_nic #(.N(N), .DEPTH(2), .WIDTH(2)) card (
      .clk(clk), .reset(!started), .offers(started && offers), .first(first), .last(last), .destination(destination),
      .word(word), .accepted(accepted), .granted(gets), .grant(grant), .request(request), .release_(release_),
      .held(held), .sends(sends), .link(link)
  );
  logic [N-1:0] asked = '0, owned = '0;  // requested and not granted; granted and not released
  wire [N-1:0] got = gets ? One << grant : '0;
  always_ff @(posedge clk) begin
    started <= 1;
    if (started) begin
      asked <= (asked | request) & ~got;
      owned <= (release_ ? '0 : owned) | got;
    end
  end
  always_comb begin
    if (gets) assume (owned == 0 && asked[grant]);
    if (started && PROPERTY == 0) assert (in_order && (!\card.pulls || (owned | got) == One << \card.from ));
    if (started && PROPERTY == 1)
      assert (((data | offered) & ~owned & ~asked & ~request) == 0 && (request & (asked | owned | ~offered)) == 0);
    if (started && PROPERTY == 2) assert (release_ == ((owned & ~data & ~offered) != 0) && held == owned);
  end
endmodule
