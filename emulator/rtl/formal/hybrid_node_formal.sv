// Properties of hybrid_node.sv from the reset on, for every sequence of requests, releases, preloads and words that have a
// place, with K = 2 slots. PROPERTY selects one:
//   0 outputs: no two inputs have one output, in a slot or by worms, and no worm leaves while words of circuits are in the
//     fabric
//   1 grants: each connection that a slot gets was requested, and not released since, at the end of the clock of the
//     pass, or preloaded in this clock or the one before it
module hybrid_node_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic preload,
    input logic preload_slot,
    input logic [N*N-1:0] configuration,
    input logic [N*N-1:0] request,
    input logic [N*N-1:0] release_,
    input logic [N-1:0] arrives,
    input logic [N-1:0] tail,
    input logic [N*P-1:0] destination
);
  localparam int SKEW = 3;
  localparam int M = N * N;
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  wire [M-1:0] established;
  wire [N-1:0] connected, granted, sends;
  wire [N*P-1:0] connection, to;
  // R after the last clock; preloaded in it and in the one before; what the pass of the last but one could grant.
  logic [M-1:0] r = '0, preloaded = '0, before_preloaded = '0, allowed = '0;
  logic [SKEW-1:0] circuits = '0;  // granted to the NICs since that many clocks
  hybrid_node #(.N(N), .K(2), .CYCLE(2), .MODE(1), .SKEW(SKEW), .DEPTH(2), .WIDTH(1), .CELLS(1)) node_ (
      .clk(clk), .reset(!started), .slot_length(8'd3), .wormhole_length(8'd3), .guard(8'd0), .reconfiguration(8'd0),
      .waits('0), .flush('0), .preload(started && preload), .preload_slot(preload_slot), .configuration(configuration),
      .circuit_request(started ? request : '0), .circuit_release(started ? release_ : '0), .lost(),
      .established(established), .begins(), .idle(), .slot(), .connected(connected), .connection(connection),
      .granted(granted), .visible(), .setup(8'd2), .arrives(started ? arrives : '0), .tail(tail),
      .destination(destination), .word('0), .request(), .grant(), .sends(sends), .to(to), .out(), .out_word()
  );
  logic [M*2-1:0] words = '0;  // by queue
  logic [M-1:0] enters, leaves;
  logic places, one_each;
  logic [N-1:0] used, used_by_worms;
  `include "is_permutation.svh"
  always_comb begin
    enters = '0;
    leaves = '0;
    one_each = 1;
    used = '0;
    used_by_worms = '0;
    for (int u = 0; u < N; u++) begin
      if (arrives[u]) enters[u*N+:N] = One << destination[u*P+:P];
      if (sends[u]) leaves[u*N+:N] = One << to[u*P+:P];
      if (connected[u] && used[connection[u*P+:P]]) one_each = 0;
      if (connected[u]) used = used | (One << connection[u*P+:P]);
      if ((used_by_worms & leaves[u*N+:N]) != 0) one_each = 0;
      used_by_worms = used_by_worms | leaves[u*N+:N];
    end
    places = 1;
    for (int q = 0; q < M; q++) begin
      if (enters[q] && words[q*2+:2] == 2) places = 0;
    end
  end
  always_ff @(posedge clk) begin
    started <= 1;
    circuits <= {circuits[SKEW-2:0], granted != 0};
    if (started) r <= (r & ~(preload ? configuration : '0) | request) & ~release_;
    if (started) preloaded <= preload ? configuration : '0;
    before_preloaded <= preloaded;
    allowed <= r | preloaded | before_preloaded;
    if (started) for (int q = 0; q < M; q++) words[q*2+:2] <= words[q*2+:2] + 2'(enters[q]) - 2'(leaves[q]);
  end
  always_comb begin
    assume (places && is_permutation(configuration) && (request & release_) == 0);
    if (started && PROPERTY == 0) assert (one_each && !(sends != 0 && circuits[SKEW-1]));
    if (started && PROPERTY == 1) assert ((established & ~allowed) == 0);
  end
endmodule
