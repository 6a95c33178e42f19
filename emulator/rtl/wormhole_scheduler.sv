// The round-robin scheduler of wormhole and circuit switching (D 8.3.4, 8.4.1): all ports within one clock
// (emulator/network/wormhole_scheduler.h).
//
// A pass serves the free outputs in the order p, p+1, ..., p-1. Each takes its first free requester at or after its
// pointer, which moves to the input after that; p advances with every pass that granted a connection. Granted ports are
// busy until they are released, and their requests are removed.
//
// Requests and releases of the same clock as a pass take part in it. Bit u * N + v is the connection of input u and
// output v.
module wormhole_scheduler #(
    parameter int N = 8,
    localparam int P = $clog2(N)
) (
    input  logic           clk,
    input  logic           reset,
    input  logic [N*N-1:0] request,          // new requests
    input  logic [  N-1:0] release_inputs,   // both ports of released connections
    input  logic [  N-1:0] release_outputs,
    input  logic           pass,
    output logic [N*N-1:0] requests,         // that are not granted
    output logic [N*N-1:0] grant             // of the last pass
);
  logic [N-1:0] busy_inputs, busy_outputs;
  logic [N*P-1:0] pointer;
  logic [P-1:0] p;

  // (i + x) mod N.
  function automatic logic [P-1:0] sum(input logic [P:0] i, input logic [P:0] x);
    if ({1'b0, i} + {1'b0, x} >= (P + 2)'(N)) sum = P'({1'b0, i} + {1'b0, x} - (P + 2)'(N));
    else sum = P'({1'b0, i} + {1'b0, x});
  endfunction

  wire [N*N-1:0] wanted = requests | request;
  logic [N*N-1:0] granted;
  logic [N-1:0] inputs_left, outputs_left, column, from_pointer, chosen, granted_inputs, granted_outputs;
  logic [P-1:0] output_;
  localparam logic [N-1:0] One = 1;
  always_comb begin
    granted = '0;
    inputs_left = ~busy_inputs | release_inputs;
    outputs_left = ~busy_outputs | release_outputs;
    granted_inputs = '0;
    granted_outputs = '0;
    for (int i = 0; i < N; i++) begin
      output_ = sum((P + 1)'(i), {1'b0, p});
      for (int u = 0; u < N; u++) column[u] = wanted[u*N+32'(output_)];
      column = column & inputs_left & {N{outputs_left[output_]}};
      from_pointer = column & ~((One << pointer[output_*P+:P]) - 1'b1);
      chosen = from_pointer != 0 ? from_pointer & (~from_pointer + 1'b1) : column & (~column + 1'b1);
      inputs_left = inputs_left & ~chosen;
      granted_inputs = granted_inputs | chosen;
      granted_outputs[output_] = chosen != 0;
      for (int u = 0; u < N; u++) granted[u*N+32'(output_)] = chosen[u];
    end
  end

  always_ff @(posedge clk) begin
    requests <= wanted;
    busy_inputs <= busy_inputs & ~release_inputs;
    busy_outputs <= busy_outputs & ~release_outputs;
    if (pass) begin
      grant <= granted;
      requests <= wanted & ~granted;
      busy_inputs <= (busy_inputs & ~release_inputs) | granted_inputs;
      busy_outputs <= (busy_outputs & ~release_outputs) | granted_outputs;
      if (granted != 0) p <= sum({1'b0, p}, 1);
      for (int v = 0; v < N; v++)
        if (granted_outputs[v])
          for (int u = 0; u < N; u++) if (granted[u*N+v]) pointer[v*P+:P] <= sum((P + 1)'(u), 1);
    end
    if (reset) begin
      requests <= '0;
      busy_inputs <= '0;
      busy_outputs <= '0;
      p <= '0;
      pointer <= '0;
    end
  end
endmodule
