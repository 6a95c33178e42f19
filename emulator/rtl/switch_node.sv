// The digital circuit of a switch node for predictive circuit switching (D 5.3, Figure 5.1): scheduler with its slots,
// TDM cycle controller, and what the fabric and the NICs get of the slot. emulator/tdm/predictive_circuits.h is the same
// in C++. With WORMHOLE_SLOT it has S_W, too (hybrid_node.sv).
//
// The scheduler makes a pass every CYCLE clocks. What a pass changes is in effect CYCLE clocks later (2 if CYCLE is 1);
// then the NICs get notices. A slot shows its connections as they are when it begins. It lets no word start in its first
// `guard` clocks and, if the fabric does not have those connections already, in `reconfiguration` more. An S_W after
// another one goes on without them.
module switch_node #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int CYCLE = 8,
    parameter int MODE = 1,     // of tdm_controller.sv
    parameter bit WORMHOLE_SLOT = 0,
    parameter int LENGTH = 8,   // bits of a time
    parameter bit CELLS = 1,    // of greedy_array.sv
    localparam int P = $clog2(N),
    localparam int S = K > 1 ? $clog2(K) : 1,
    localparam int T = $clog2(K + 1)
) (
    input  logic              clk,
    input  logic              reset,
    input  logic [LENGTH-1:0] slot_length,      // in clocks
    input  logic [LENGTH-1:0] wormhole_length,  // of S_W (MODE 2)
    input  logic [LENGTH-1:0] guard,
    input  logic [LENGTH-1:0] reconfiguration,
    input  logic              worms,            // S_W needs time
    input  logic [   N*N-1:0] waits,            // data waits in the NIC for these connections (MODE 3)
    // Control words.
    input  logic [     N-1:0] flush,
    input  logic              preload,
    input  logic [     S-1:0] preload_slot,
    input  logic [   N*N-1:0] configuration,
    input  logic [   N*N-1:0] request,
    input  logic [   N*N-1:0] release_,
    // Notices of this clock.
    output logic [   N*N-1:0] lost,
    output logic [   N*N-1:0] established,
    // Since the last clock: the slot, its connections in the fabric, and those that words may start on.
    output logic              begins,
    output logic              idle,
    output logic [     T-1:0] slot,
    output logic [     N-1:0] connected,
    output logic [   N*P-1:0] connection,       // of input u: bits u * P
    output logic [     N-1:0] granted,
    output logic              worms_granted,
    output logic [ K*N*N-1:0] visible           // the slots
);
  localparam int M = N * N;
  localparam int C = CYCLE > 1 ? $clog2(CYCLE) : 1;

  logic [C-1:0] phase;
  logic passed;
  wire pass = phase == 0;
  wire [K*M-1:0] slots, removed;
  slot_scheduler #(.N(N), .K(K), .CELLS(CELLS)) scheduler (
      .clk(clk), .reset(reset), .flush(flush), .preload(preload), .s(preload_slot), .configuration(configuration),
      .request(request), .release_(release_), .pass(pass), .requests(), .slots(slots), .removed(removed),
      .preloaded(), .running()
  );

  // The slots of the last pass take effect. A connection that a command removed, and that the pass established again, is
  // lost and established.
  logic [K*M-1:0] since_pass, before_pass, result, result_removed, next_visible, all_lost, all_new;
  logic [K-1:0] occupied, changed, stale;
  logic wanted;
  always_comb begin
    next_visible = pass ? result : visible;
    all_lost = visible & ~next_visible;
    all_new  = next_visible & ~visible;
    if (pass) begin
      all_lost = all_lost | (visible & result_removed);
      all_new  = all_new | (result & result_removed);
    end
    lost = '0;
    established = '0;
    wanted = 0;
    for (int i = 0; i < K; i++) begin
      lost = lost | all_lost[i*M+:M];
      established = established | all_new[i*M+:M];
      occupied[i] = next_visible[i*M+:M] != 0;
      if ((next_visible[i*M+:M] & waits) != 0) wanted = 1;
      changed[i] = (all_lost[i*M+:M] | all_new[i*M+:M]) != 0;
    end
  end

  tdm_controller #(.K(K), .MODE(MODE), .LENGTH(LENGTH), .WORMHOLE_SLOT(WORMHOLE_SLOT)) controller (
      .clk(clk), .reset(reset), .occupied(occupied), .worms(WORMHOLE_SLOT && worms), .wanted(wanted), .num_p(slot_length),
      .num_w(wormhole_length), .begins(begins), .idle(idle), .slot(slot)
  );
  wire for_worms = WORMHOLE_SLOT && 32'(slot) == K;

  // The ports whose number has bit b.
  function automatic logic [N-1:0] with_bit(input int b);
    for (int v = 0; v < N; v++) with_bit[v] = ((v >> b) & 1) != 0;
  endfunction

  // The slot's connections.
  logic [M-1:0] loaded, shown;
  logic [T-1:0] in_fabric;
  logic worm_slot, next_worm_slot;
  logic [LENGTH-1:0] unusable, left;  // clocks without words, from this one on
  always_comb begin
    shown = loaded;
    left  = unusable;
    next_worm_slot = begins ? for_worms && !idle : worm_slot;
    if (begins) begin
      shown = '0;
      for (int i = 0; i < K; i++) if (!idle && i == 32'(slot)) shown = visible[i*M+:M];
      if (!worm_slot || !next_worm_slot) begin
        left = guard;
        if (in_fabric != slot || (!for_worms && stale[slot[S-1:0]])) left = guard + reconfiguration;
      end
    end
    for (int u = 0; u < N; u++) begin
      connected[u] = shown[u*N+:N] != 0;
      for (int b = 0; b < P; b++) connection[u*P+b] = (shown[u*N+:N] & with_bit(b)) != 0;
    end
    granted = left == 0 ? connected : '0;
    worms_granted = left == 0 && next_worm_slot;
  end

  always_ff @(posedge clk) begin
    phase <= 32'(phase) == CYCLE - 1 ? '0 : phase + 1'b1;
    passed <= pass;
    since_pass <= pass ? '0 : since_pass | removed;
    if (pass) before_pass <= since_pass | removed;
    if (passed) result <= slots;
    if (passed) result_removed <= before_pass;
    visible <= next_visible;
    loaded <= shown;
    worm_slot <= next_worm_slot;
    unusable <= left == 0 ? '0 : left - 1'b1;
    stale <= stale | changed;
    if (begins && !idle) begin
      in_fabric <= slot;
      if (!for_worms) stale[slot[S-1:0]] <= changed[slot[S-1:0]];
    end
    if (reset) begin
      phase <= '0;
      passed <= 0;
      since_pass <= '0;
      before_pass <= '0;
      result <= '0;
      result_removed <= '0;
      visible <= '0;
      loaded <= '0;
      worm_slot <= 0;
      unusable <= '0;
      stale <= '0;
      in_fabric <= '1;
    end
  end
endmodule
