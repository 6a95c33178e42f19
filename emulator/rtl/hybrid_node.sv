// The digital circuit of the hybrid switch node (D 3.4.2, Figure 3.8; D 4.3 to 4.5): predictive circuits with their TDM
// cycle, and the wormhole half, whose worms leave in S_W. emulator/switching/hybrid.h is the same in C++.
//
// What the controller begins is at the fabric SKEW clocks later, in which words of the NICs come. E_W is that an input
// requests or holds an output.
module hybrid_node #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int CYCLE = 8,
    parameter int MODE = 1,     // of tdm_controller.sv
    parameter int SKEW = 13,    // at least 3
    parameter int DEPTH = 16,   // of wormhole_node.sv
    parameter int WIDTH = 64,
    parameter int LENGTH = 8,
    parameter bit CELLS = 1,    // of greedy_array.sv
    localparam int P = $clog2(N),
    localparam int S = K > 1 ? $clog2(K) : 1,
    localparam int T = $clog2(K + 1)
) (
    input  logic               clk,
    input  logic               reset,
    // Circuits: as switch_node.sv.
    input  logic [ LENGTH-1:0] slot_length,
    input  logic [ LENGTH-1:0] wormhole_length,
    input  logic [ LENGTH-1:0] guard,
    input  logic [ LENGTH-1:0] reconfiguration,
    input  logic [    N*N-1:0] waits,
    input  logic [      N-1:0] flush,
    input  logic               preload,
    input  logic [      S-1:0] preload_slot,
    input  logic [    N*N-1:0] configuration,
    input  logic [    N*N-1:0] circuit_request,
    input  logic [    N*N-1:0] circuit_release,
    output logic [    N*N-1:0] lost,
    output logic [    N*N-1:0] established,
    output logic               begins,
    output logic               idle,
    output logic [      T-1:0] slot,
    output logic [      N-1:0] connected,
    output logic [    N*P-1:0] connection,
    output logic [      N-1:0] granted,
    output logic [  K*N*N-1:0] visible,
    // Worms: as wormhole_node.sv.
    input  logic [ LENGTH-1:0] setup,
    input  logic [      N-1:0] arrives,
    input  logic [      N-1:0] tail,
    input  logic [    N*P-1:0] destination,
    input  logic [N*WIDTH-1:0] word,
    output logic [    N*N-1:0] request,
    output logic [    N*N-1:0] grant,
    output logic [      N-1:0] sends,
    output logic [    N*P-1:0] to,
    output logic [      N-1:0] out,
    output logic [N*WIDTH-1:0] out_word
);
  wire worms, worms_granted;
  logic [SKEW-2:0] later;  // S_W on its way to the fabric

  switch_node #(
      .N(N), .K(K), .CYCLE(CYCLE), .MODE(MODE), .WORMHOLE_SLOT(1), .LENGTH(LENGTH), .CELLS(CELLS)
  ) circuits (
      .clk(clk), .reset(reset), .slot_length(slot_length), .wormhole_length(wormhole_length), .guard(guard),
      .reconfiguration(reconfiguration), .worms(worms), .waits(waits), .flush(flush), .preload(preload),
      .preload_slot(preload_slot), .configuration(configuration), .request(circuit_request), .release_(circuit_release),
      .lost(lost), .established(established), .begins(begins), .idle(idle), .slot(slot), .connected(connected),
      .connection(connection), .granted(granted), .worms_granted(worms_granted), .visible(visible)
  );
  wormhole_node #(
      .N(N), .CYCLE(CYCLE), .DEPTH(DEPTH), .WIDTH(WIDTH), .LENGTH(LENGTH)
  ) wormhole (
      .clk(clk), .reset(reset), .setup(setup), .open(later[SKEW-2]), .arrives(arrives), .tail(tail),
      .destination(destination), .word(word), .request(request), .grant(grant), .worms(worms), .sends(sends), .to(to),
      .out(out), .out_word(out_word)
  );

  always_ff @(posedge clk) later <= reset ? '0 : {later[SKEW-3:0], worms_granted};
endmodule
