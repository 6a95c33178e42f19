// Properties of circuit_node.sv from the reset on, for every sequence of requests and releases. PROPERTY selects one:
//   0 outputs: no two inputs are connected to one output
//   1 grants: each circuit in the fabric was requested, once
module circuit_node_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [N*N-1:0] request,
    input logic [N-1:0] release_
);
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  wire [N-1:0] connected, granted;
  wire [N*P-1:0] connection;
  logic [N*N-1:0] open = '0;  // requested and not released since
  circuit_node #(.N(N), .CYCLE(2)) node_ (
      .clk(clk), .reset(!started), .setup(8'd2), .request(started ? request : '0), .release_(started ? release_ : '0),
      .requests(), .grant(), .connected(connected), .granted(granted), .connection(connection)
  );
  logic [N*N-1:0] circuits;
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
  always_ff @(posedge clk) begin
    started <= 1;
    for (int u = 0; u < N; u++)
      if (started) open[u*N+:N] <= (open[u*N+:N] & ~(release_[u] ? circuits[u*N+:N] : '0)) | request[u*N+:N];
  end
  always_comb begin
    // A NIC releases the circuit that it has, and requests it again when it is released.
    assume ((release_ & ~connected) == 0 && (request & open) == 0);
    if (started && PROPERTY == 0) assert (one_each);
    if (started && PROPERTY == 1) assert ((circuits & ~open) == 0);
  end
endmodule
