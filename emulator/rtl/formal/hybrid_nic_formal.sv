// Properties of hybrid_nic.sv from the reset on, for every PE, grant, slot, notice and place that comes back, K = 1.
// PROPERTY selects one:
//   0 words: in a clock a circuit or a worm gets the link, not both; circuits are granted ones; the words of a
//     destination leave in the order in which they entered, unchanged, each once
//   1 order: a word leaves over a circuit only if all earlier words of worms to its destination have left the switch
//   2 time-out: what was requested, and no flush removed, is released when neither circuit nor worms are in use for
//     `timeout` clocks
module hybrid_nic_formal #(
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
    input logic begins,
    input logic granted,
    input logic [P-1:0] grant,
    input logic [N-1:0] lost,
    input logic [N-1:0] established,
    input logic credit,
    input logic [P-1:0] credit_of
);
  logic started = 0;
  wire first, last, accepted, by_worms, sends, worm, in_order;
  wire [P-1:0] destination, link_to;
  wire [1:0] word, link;
  wire [N-1:0] request, release_, in_table, data, offered;
  (* hierconn *) wire \card.circuit_pulls ;
  (* hierconn *) wire \card.worms.pulls ;
  (* hierconn *) wire [P-1:0] \card.worms.next_to ;
  wire by_circuit = \card.circuit_pulls , by_worm = \card.worms.pulls ;
  nic_pe #(.N(N)) pe (
      .clk(clk), .started(started), .offers(started && offers), .mark(mark), .any_last(any_last),
      .any_destination(any_destination), .first(first), .last(last), .destination(destination), .word(word),
      .accepted(accepted), .pulls(by_circuit || by_worm), .from(by_circuit ? grant : \card.worms.next_to ),
      .sends(sends), .link(link), .offered(offered), .data(data), .in_order(in_order)
  );
  wire returns = started && credit;
  hybrid_nic #(.N(N), .K(1), .DEPTH(2), .PLACES(2), .WIDTH(2), .BITS(3)) card (
      .clk(clk), .reset(!started), .timeout(3'd2), .length(8'd2), .flush(started && flush), .offers(started && offers),
      .first(first), .last(last), .destination(destination), .word(word), .accepted(accepted), .by_worms(by_worms),
      .begins(begins), .granted(started && granted), .grant(grant), .lost(started ? lost : '0),
      .established(started ? established : '0), .credit(returns), .credit_of(credit_of), .request(request), .release_(release_),
      .in_table(in_table), .waits(), .sends(sends), .worm(worm), .tail(), .link_to(link_to), .link(link)
  );

  // Words of worms by destination: that entered, and that are in the switch.
  logic [N*4-1:0] entered = '0, in_switch = '0;
  logic [N*4-1:0] idle = '0;       // clocks since the last use
  logic [N-1:0] last_request = '0;  // requested and not released or flushed
  always_ff @(posedge clk) begin
    started <= 1;
    if (started)
      for (int v = 0; v < N; v++) begin
        entered[v*4+:4] <= entered[v*4+:4] + 4'(accepted && by_worms && 32'(destination) == v) -
            4'(returns && 32'(credit_of) == v);
        idle[v*4+:4] <= offered[v] || data[v] || entered[v*4+:4] != 0 || !last_request[v] ? '0 : idle[v*4+:4] + 1'b1;
        in_switch[v*4+:4] <= in_switch[v*4+:4] + 4'(worm && 32'(link_to) == v) - 4'(returns && 32'(credit_of) == v);
      end
    if (started) last_request <= (last_request & ~(release_ | {N{flush}})) | request;
  end
  always_comb begin
    assume ((lost & ~in_table) == 0 && (established & in_table & ~lost) == 0);
    if (returns) assume (in_switch[credit_of*4+:4] != 0);
    if (started && PROPERTY == 0) assert (in_order && !(by_circuit && by_worm) && (!by_circuit || granted));
    if (started && PROPERTY == 1)
      assert (!by_circuit || entered[grant*4+:4] == 4'(returns && credit_of == grant));
    if (started && PROPERTY == 2) for (int v = 0; v < N; v++) assert (idle[v*4+:4] <= 4'd3);
  end
endmodule
