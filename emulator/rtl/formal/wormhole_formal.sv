// Properties of wormhole_scheduler.sv from the reset on, for every sequence of requests, releases and passes. PROPERTY
// selects one:
//   0 ports: no port has two connections
//   1 grants: a connection is requested before it is granted, and each request is granted once
module wormhole_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0
) (
    input logic clk,
    input logic [N*N-1:0] request,
    input logic [N*N-1:0] release_,  // of these connections, if they are held
    input logic pass
);
  logic started = 0;
  logic passed = 0;
  logic [N*N-1:0] held = '0, pending = '0;  // at the begin of the clock, without the last grants
  wire [N*N-1:0] grant;
  wire [N*N-1:0] granted = passed ? grant : '0;
  wire [N*N-1:0] now_held = held | granted;
  wire [N*N-1:0] released = now_held & release_;
  logic [N-1:0] release_inputs, release_outputs;
  always_comb begin
    release_outputs = '0;
    for (int u = 0; u < N; u++) begin
      release_inputs[u] = released[u*N+:N] != 0;
      release_outputs = release_outputs | released[u*N+:N];
    end
  end
  `include "is_permutation.svh"
  wormhole_scheduler #(.N(N)) scheduler (
      .clk(clk), .reset(!started), .request(request), .release_inputs(release_inputs), .release_outputs(release_outputs),
      .pass(pass), .grant(grant)
  );
  always_ff @(posedge clk) begin
    started <= 1;
    passed <= started && pass;
    if (started) held <= now_held & ~released;
    if (started) pending <= (pending & ~granted) | request;
  end
  always_comb begin
    // A connection is requested again when it was released.
    assume ((request & (now_held | (pending & ~granted))) == 0);
    if (started && PROPERTY == 0) assert (is_permutation(now_held) && (held & granted) == 0);
    if (started && PROPERTY == 1) assert ((granted & ~pending) == 0);
  end
endmodule
