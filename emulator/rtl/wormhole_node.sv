// The switch node of wormhole switching (D 8.4.1, Figure 8.7; the wormhole half of D Figure 3.8): the buffers of the
// inputs, the round-robin scheduler and the digital fabric. emulator/network/switch_node.h is the same in C++.
//
// The scheduler makes a pass every CYCLE clocks, with the requests and releases known before. Words of a granted worm
// leave in clocks with `open`. When a word of input u is out of the fabric, the NIC gets its place back (`sends`, `to`).
module wormhole_node #(
    parameter int N = 8,
    parameter int CYCLE = 8,
    parameter int DEPTH = 16,  // words of a virtual queue, a power of 2
    parameter int WIDTH = 64,
    parameter int LENGTH = 8,  // bits of a time
    localparam int P = $clog2(N)
) (
    input  logic               clk,
    input  logic               reset,
    input  logic [ LENGTH-1:0] setup,        // from a pass to the first word of its worms, in clocks, at least 2
    input  logic               open,
    // A word from the NIC of input u: bits u * P of `destination`, u * WIDTH of `word`.
    input  logic [      N-1:0] arrives,
    input  logic [      N-1:0] tail,
    input  logic [    N*P-1:0] destination,
    input  logic [N*WIDTH-1:0] word,
    output logic [    N*N-1:0] request,      // bit u * N + v: the worm at the head of queue v of input u waits for a pass
    output logic [    N*N-1:0] grant,        // of a pass in the last clock
    output logic               worms,        // an input requests or holds an output
    // A word that left input u since the last clock, and the output `to`.
    output logic [      N-1:0] sends,
    output logic [    N*P-1:0] to,
    // The words that the outputs have.
    output logic [      N-1:0] out,
    output logic [N*WIDTH-1:0] out_word
);
  localparam int C = CYCLE > 1 ? $clog2(CYCLE) : 1;
  localparam logic [N-1:0] One = 1;
  logic [C-1:0] phase;
  logic passed;
  wire pass = phase == 0;
  wire [N*N-1:0] last_grant;
  wire [N-1:0] holds, releases;
  wire [N*WIDTH-1:0] words;
  logic [N-1:0] released_outputs;

  for (genvar u = 0; u < N; u++) begin : inputs
    worm_queues #(.N(N), .DEPTH(DEPTH), .WIDTH(WIDTH), .LENGTH(LENGTH)) queues (
        .clk(clk), .reset(reset), .setup(setup), .open(open), .arrives(arrives[u]), .tail(tail[u]),
        .destination(destination[u*P+:P]), .word(word[u*WIDTH+:WIDTH]), .grant(grant[u*N+:N]),
        .request(request[u*N+:N]), .holds(holds[u]), .releases(releases[u]), .to(to[u*P+:P]), .sends(sends[u]),
        .out(words[u*WIDTH+:WIDTH])
    );
  end

  assign grant = passed ? last_grant : '0;
  assign worms = request != 0 || (holds & ~releases) != 0;
  always_comb begin
    released_outputs = '0;
    for (int u = 0; u < N; u++) if (releases[u]) released_outputs = released_outputs | (One << to[u*P+:P]);
  end
  wormhole_scheduler #(.N(N)) scheduler (
      .clk(clk), .reset(reset), .request(request), .release_inputs(releases), .release_outputs(released_outputs),
      .pass(pass), .requests(), .grant(last_grant)
  );

  // The fabric.
  always_comb begin
    out = '0;
    out_word = '0;
    for (int v = 0; v < N; v++)
      for (int u = 0; u < N; u++)
        if (sends[u] && 32'(to[u*P+:P]) == v) begin
          out[v] = 1;
          out_word[v*WIDTH+:WIDTH] = words[u*WIDTH+:WIDTH];
        end
  end

  always_ff @(posedge clk) begin
    phase <= 32'(phase) == CYCLE - 1 ? '0 : phase + 1'b1;
    passed <= pass;
    if (reset) begin
      phase <= '0;
      passed <= 0;
    end
  end
endmodule
