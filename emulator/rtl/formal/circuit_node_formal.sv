// Properties of circuit_node.sv from the reset on, for every sequence of requests and releases. PROPERTY selects one:
//   0 outputs: no two inputs are connected to one output
//   1 grants: each circuit in the fabric was requested, once
//   2 progress: while a request waits, one of its ports is granted in each CYCLE clocks in which no circuit holds them
module circuit_node_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [N*N-1:0] request,
    input logic [N-1:0] release_,
    input logic [P-1:0] any_input,
    input logic [P-1:0] any_output
);
  localparam int CYCLE = 2;
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  wire [N-1:0] connected, granted;
  wire [N*P-1:0] connection;
  logic [N*N-1:0] open = '0;  // requested and not released since
  circuit_node #(.N(N), .CYCLE(CYCLE)) node_ (
      .clk(clk), .reset(!started), .setup(8'd2), .request(started ? request : '0), .release_(started ? release_ : '0),
      .requests(), .grant(grant), .connected(connected), .granted(granted), .connection(connection)
  );
  wire [N*N-1:0] grant;
  logic [N*N-1:0] circuits, released, now_held, held = '0;  // held: granted and not released
  logic [P-1:0] u, v;  // an arbitrary request
  logic [3:0] clocks = 0;  // in which its ports were free
  logic waits;
  logic [N-1:0] used;
  logic one_each;
  always_comb begin
    one_each = 1;
    used = '0;
    circuits = '0;
    for (int u = 0; u < N; u++)
      if (connected[u]) begin
        if (used[connection[u*P+:P]]) one_each = 0;
        used = used | (One << connection[u*P+:P]);
        circuits[u*N+:N] = One << connection[u*P+:P];
      end
  end
  always_comb begin
    for (int i = 0; i < N; i++) released[i*N+:N] = release_[i] ? circuits[i*N+:N] : '0;
    now_held = (held | grant) & ~released;
    waits = open[u*N+v];
    for (int i = 0; i < N; i++) if (now_held[u*N+i] || now_held[i*N+v]) waits = 0;
  end
  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) u <= any_input;
    if (!started) v <= any_output;
    if (started) open <= (open & ~released) | request;
    if (started) held <= now_held;
    clocks <= waits ? clocks + 1'b1 : '0;
  end
  always_comb begin
    // A NIC releases the circuit that it has, and requests it again when it is released.
    assume ((release_ & ~connected) == 0 && (request & open) == 0);
    if (started && PROPERTY == 0) assert (one_each);
    if (started && PROPERTY == 1) assert ((circuits & ~open) == 0);
    if (started && PROPERTY == 2) assert (!waits || 32'(clocks) < CYCLE);
  end
endmodule
