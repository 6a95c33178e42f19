// Properties of nic.sv with its requests (nic_requests.sv) from the reset on, for every PE, grant, flush and notice, with
// K = 1. PROPERTY selects one:
//   0 words: words leave to the granted destination only, in the order in which they entered, unchanged, each once
//   1 request: while data waits for a destination, the table has its connection, or the switch has a request that is
//     neither released nor flushed nor lost; only connections that data waits for are requested
//   2 release: none is released while data waits for it, and only what was requested last or is in the table
//   3 time-out: what was requested, and no flush removed, is released when it is not used for `timeout` clocks
module nic_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic flush,
    input logic offers,
    input logic mark,
    input logic any_last,
    input logic [P-1:0] any_destination,
    input logic granted,
    input logic [P-1:0] grant,
    input logic [N-1:0] lost,
    input logic [N-1:0] established
);
  localparam int BITS = 3, DEPTH = 2;
  localparam logic [BITS-1:0] Timeout = 2;
  logic started = 0;
  wire first, last, accepted, pulls, sends, in_order;
  wire [P-1:0] destination;
  wire [1:0] word, link;
  wire [N-1:0] request, release_, in_table, data, offered;
  nic_pe #(.N(N)) pe (
      .clk(clk), .started(started), .offers(started && offers), .mark(mark), .any_last(any_last),
      .any_destination(any_destination), .first(first), .last(last), .destination(destination), .word(word),
      .accepted(accepted), .pulls(pulls), .from(grant), .sends(sends), .link(link), .offered(offered), .data(data),
      .in_order(in_order)
  );
  nic #(.N(N), .K(1), .DEPTH(DEPTH), .WIDTH(2), .BITS(BITS)) card (
      .clk(clk), .reset(!started), .timeout(Timeout), .flush(started && flush), .offers(started && offers), .first(first),
      .last(last), .destination(destination), .word(word), .accepted(accepted), .by_worms(), .worm_enters(1'b0),
      .worms('0), .granted(granted), .grant(grant), .lost(started ? lost : '0),
      .established(started ? established : '0), .request(request), .release_(release_), .in_table(in_table), .unsent(),
      .waits(), .pulls(pulls), .sends(sends), .link(link)
  );

  logic [N*4-1:0] idle = '0;  // clocks since the last use
  logic [N-1:0] asked = '0;         // requested, and not released, flushed or lost since
  logic [N-1:0] last_request = '0;  // requested, and not released or flushed since
  always_ff @(posedge clk) begin
    started <= 1;
    if (started) begin
      for (int v = 0; v < N; v++)
        idle[v*4+:4] <= offered[v] || data[v] || !last_request[v] ? '0 : idle[v*4+:4] + 1'b1;
      asked <= (asked & ~(lost | release_ | {N{flush}})) | request;
      last_request <= (last_request & ~(release_ | {N{flush}})) | request;
    end
  end
  always_comb begin
    assume ((lost & ~in_table) == 0 && (established & in_table & ~lost) == 0);
    if (started && PROPERTY == 0) assert (in_order && (!pulls || granted));
    if (started && PROPERTY == 1) assert ((data & ~in_table & ~asked) == 0 && (request & ~data & ~offered) == 0);
    if (started && PROPERTY == 2)
      assert ((release_ & (data | offered)) == 0 && (release_ & ~last_request & ~in_table & ~established) == 0);
    if (started && PROPERTY == 3)
      for (int v = 0; v < N; v++) assert (idle[v*4+:4] <= 4'(Timeout) + 1);
  end
endmodule
