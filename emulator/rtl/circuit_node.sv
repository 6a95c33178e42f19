// The switch node of circuit switching (D 8.4.2, Figure 8.8): the round-robin scheduler and the circuits of the fabric.
// emulator/switching/circuit.cpp is the same in C++.
//
// The scheduler makes a pass every CYCLE clocks. `setup` clocks later the circuits of a pass are in the fabric, and their
// NICs get grants. A NIC releases its circuit; then both ports are free in this clock.
module circuit_node #(
    parameter int N = 8,
    parameter int CYCLE = 8,
    parameter int LENGTH = 8,  // bits of a time
    localparam int P = $clog2(N)
) (
    input  logic              clk,
    input  logic              reset,
    input  logic [LENGTH-1:0] setup,      // from a pass until its circuits are established, in clocks, at least 2
    // Control words.
    input  logic [   N*N-1:0] request,    // one clock each
    input  logic [     N-1:0] release_,   // of the circuit of input u
    output logic [   N*N-1:0] requests,   // that wait for a pass
    output logic [   N*N-1:0] grant,      // of a pass in the last clock
    // The circuits in the fabric, and those since the last clock, of which the NICs get notices.
    output logic [     N-1:0] connected,
    output logic [     N-1:0] granted,
    output logic [   N*P-1:0] connection  // of input u: bits u * P
);
  localparam int C = CYCLE > 1 ? $clog2(CYCLE) : 1;
  localparam logic [N-1:0] One = 1;
  logic [C-1:0] phase;
  logic passed;
  wire pass = phase == 0;
  wire [N*N-1:0] last_grant;
  logic [N*LENGTH-1:0] left;  // clocks until the circuit of input u is established
  logic [N-1:0] waits, established, released_outputs;
  assign grant = passed ? last_grant : '0;

  // The ports whose number has bit b.
  function automatic logic [N-1:0] with_bit(input int b);
    for (int v = 0; v < N; v++) with_bit[v] = ((v >> b) & 1) != 0;
  endfunction

  always_comb begin
    released_outputs = '0;
    for (int u = 0; u < N; u++) begin
      if (release_[u]) released_outputs = released_outputs | (One << connection[u*P+:P]);
      established[u] = waits[u] && left[u*LENGTH+:LENGTH] == 0;
    end
  end
  wormhole_scheduler #(.N(N)) scheduler (
      .clk(clk), .reset(reset), .request(request), .release_inputs(release_), .release_outputs(released_outputs),
      .pass(pass), .requests(requests), .grant(last_grant)
  );

  always_ff @(posedge clk) begin
    phase <= 32'(phase) == CYCLE - 1 ? '0 : phase + 1'b1;
    passed <= pass;
    granted <= established;
    connected <= (connected & ~release_) | established;
    for (int u = 0; u < N; u++) begin
      if (left[u*LENGTH+:LENGTH] != 0) left[u*LENGTH+:LENGTH] <= left[u*LENGTH+:LENGTH] - 1'b1;
      if (established[u]) waits[u] <= 0;
      if (grant[u*N+:N] != 0) begin
        waits[u] <= 1;
        left[u*LENGTH+:LENGTH] <= setup - LENGTH'(2);
        for (int b = 0; b < P; b++) connection[u*P+b] <= (grant[u*N+:N] & with_bit(b)) != 0;
      end
    end
    if (reset) begin
      phase <= '0;
      passed <= 0;
      granted <= '0;
      connected <= '0;
      waits <= '0;
    end
  end
endmodule
