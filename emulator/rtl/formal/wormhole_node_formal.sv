// Properties of wormhole_node.sv from the reset on, for every sequence of words that have a place. PROPERTY selects one:
//   0 outputs: no two inputs send to one output, and none to an output that another one holds
//   1 grants: only requested outputs are granted
//   2 words: an output has a word in the clocks in which an input sends to it, and it is the oldest one of the input's queue
module wormhole_node_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic open,
    input logic [N-1:0] arrives,
    input logic [N-1:0] tail,
    input logic [N*P-1:0] destination,
    input logic [N-1:0] word,
    input logic [P-1:0] any_input,
    input logic [P-1:0] any_output
);
  localparam int DEPTH = 2;
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  wire [N*N-1:0] request, grant;
  wire [N-1:0] sends, out, out_word;
  wire [N*P-1:0] to;
  logic [N*N-1:0] requested = '0;  // in the last clock
  logic [N*N*2-1:0] words = '0;    // by queue
  wormhole_node #(.N(N), .CYCLE(2), .DEPTH(DEPTH), .WIDTH(1)) node_ (
      .clk(clk), .reset(!started), .setup(8'd2), .open(open), .arrives(started ? arrives : '0), .tail(tail),
      .destination(destination), .word(word), .request(request), .grant(grant), .worms(), .sends(sends), .to(to), .out(out),
      .out_word(out_word)
  );
  logic [N*N-1:0] enters, leaves, held;  // held: from the grant to the tail
  logic places, one_each;
  logic [N-1:0] used;
  (* hierconn *) wire [N-1:0] \node_.releases ;
  always_comb begin
    enters = '0;
    leaves = '0;
    for (int u = 0; u < N; u++) begin
      if (arrives[u]) enters[u*N+:N] = One << destination[u*P+:P];
      if (sends[u]) leaves[u*N+:N] = One << to[u*P+:P];
    end
    places = 1;
    for (int q = 0; q < N * N; q++) if (enters[q] && words[q*2+:2] == 2'(DEPTH)) places = 0;
    one_each = 1;
    used = '0;
    for (int u = 0; u < N; u++) begin
      if ((used & (leaves[u*N+:N] | held[u*N+:N])) != 0) one_each = 0;
      used = used | leaves[u*N+:N] | held[u*N+:N];
    end
  end
  // The words of one arbitrary queue, the oldest one first.
  logic [P-1:0] u, v;
  logic [DEPTH-1:0] queue;
  wire [1:0] here = words[(u*N+v)*2+:2];
  wire [1:0] place = here - 2'(leaves[u*N+v]);
  logic [N-1:0] has_word;
  always_comb begin
    has_word = '0;
    for (int i = 0; i < N; i++) has_word = has_word | leaves[i*N+:N];
  end
  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) u <= any_input;
    if (!started) v <= any_output;
    for (int i = 0; i < DEPTH; i++)
      if (enters[u*N+v] && 32'(place) == i) queue[i] <= word[u];
      else if (leaves[u*N+v]) queue[i] <= i + 1 < DEPTH ? queue[(i+1)%DEPTH] : 1'b0;
    requested <= request;
    if (started) for (int q = 0; q < N * N; q++) words[q*2+:2] <= words[q*2+:2] + 2'(enters[q]) - 2'(leaves[q]);
    for (int u = 0; u < N; u++)
      if (!started) held[u*N+:N] <= '0;
      else if (grant[u*N+:N] != 0) held[u*N+:N] <= grant[u*N+:N];
      else if (\node_.releases [u]) held[u*N+:N] <= '0;
  end
  always_comb begin
    assume (places);
    if (started && PROPERTY == 0) assert (one_each);
    if (started && PROPERTY == 2) assert (out == has_word && (!leaves[u*N+v] || out_word[v] == queue[0]));
    if (started && PROPERTY == 1) assert ((grant & ~requested) == 0);
  end
endmodule
