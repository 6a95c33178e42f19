// The scheduler of D 5.3.1, Figure 5.1, without its TDM counter (tdm_controller.sv): R, K slot registers, B*, the SL
// counter, pre-scheduling and SL array. emulator/scheduler/model_port.h is the same machine in C++.
//
// In every clock, in this order:
//   flush    removes the requests and connections of these inputs
//   preload  slot s holds `configuration` and is left out of the sweeps until it is empty; other slots lose its connections
//   request  R(u,v) := 1, unless a preloaded slot holds (u,v)
//   release_ R(u,v) := 0, unless a preloaded slot holds (u,v). Requires: (u,v) is not in `request`
// Then, in a clock with `pass` (an edge of the scheduler's own clock), a pass over one slot, if a sweep has one to make.
// `slots` is B after the clock: bit (s * N + u) * N + v.
//
// A sweep makes a pass over each slot that is not preloaded, from slot 0 up. It stops when there is no work, or after as
// many passes without a toggle as there are such slots; the first `pass` after a command with an effect starts a sweep.
module slot_scheduler #(
    parameter int N = 8,
    parameter int K = 4,
    parameter bit CELLS = 1,  // of greedy_array.sv
    localparam int P = $clog2(N),
    localparam int S = K > 1 ? $clog2(K) : 1
) (
    input  logic             clk,
    input  logic             reset,
    input  logic [    N-1:0] flush,
    input  logic             preload,
    input  logic [    S-1:0] s,
    input  logic [  N*N-1:0] configuration,
    input  logic [  N*N-1:0] request,
    input  logic [  N*N-1:0] release_,
    input  logic             pass,
    output logic [  N*N-1:0] requests,
    output logic [K*N*N-1:0] slots,
    output logic [K*N*N-1:0] removed,   // connections that a command of this clock removes
    output logic [    K-1:0] preloaded,
    output logic             running  // a pass in the next clock with `pass`
);
  localparam int M = N * N;

  // The commands. A flush and a preload have an effect even if they change nothing: passes start again.
  logic [M-1:0] after_r, kept_r, held_preloaded, opened, closed, flushed;
  logic [K*M-1:0] after_slots;
  logic [K-1:0] after_preloaded;
  logic touched, effect;  // since the last pass
  always_comb begin
    for (int i = 0; i < N; i++) flushed[i*N+:N] = {N{flush[i]}};
    kept_r = requests & ~flushed;
    if (preload) kept_r = kept_r & ~configuration;
    after_preloaded = preloaded;
    held_preloaded = '0;
    for (int i = 0; i < K; i++) begin
      after_slots[i*M+:M] = slots[i*M+:M] & ~flushed;
      if (preload) after_slots[i*M+:M] = i == 32'(s) ? configuration : after_slots[i*M+:M] & ~configuration;
      if (preload && i == 32'(s)) after_preloaded[i] = 1;
      if (after_slots[i*M+:M] == 0) after_preloaded[i] = 0;
      if (after_preloaded[i]) held_preloaded = held_preloaded | after_slots[i*M+:M];
    end
    opened  = request & ~kept_r & ~held_preloaded;
    removed = slots & ~after_slots;
    closed  = release_ & kept_r;
    after_r = (kept_r | opened) & ~closed;
    effect  = touched || flush != 0 || preload || opened != 0 || closed != 0;
  end

  // Work: requests in no slot, and connections to release.
  function automatic logic has_work(input logic [M-1:0] r, input logic [K*M-1:0] all, input logic [K-1:0] fixed);
    logic [M-1:0] any, unrequested;
    any = '0;
    unrequested = '0;
    for (int i = 0; i < K; i++) begin
      any = any | all[i*M+:M];
      if (!fixed[i]) unrequested = unrequested | (all[i*M+:M] & ~r);
    end
    has_work = (r & ~any) != 0 || unrequested != 0;
  endfunction

  // The first slot at or after `from` that is not preloaded; K: none.
  function automatic logic [S:0] dynamic_from(input logic [K-1:0] fixed, input logic [S:0] from);
    dynamic_from = (S + 1)'(K);
    for (int i = K - 1; i >= 0; i--) if (!fixed[i] && (S + 1)'(i) >= from) dynamic_from = (S + 1)'(i);
  endfunction

  // The SL counter before the pass.
  logic [S:0] counter, at, next;
  logic [S:0] idle_slots, idle_before, idle_after, dynamic_slots;
  logic runs, stops, swept, ends;
  logic [P-1:0] a, b, pass_a, pass_b;
  // (a, b) of the next sweep: a completes a round every N sweeps, and b then moves one further ahead.
  wire [P-1:0] next_a = 32'(a) == N - 1 ? '0 : a + 1'b1;
  wire [P-1:0] once_b = 32'(b) == N - 1 ? '0 : b + 1'b1;
  wire [P-1:0] next_b = 32'(a) != N - 1 ? once_b : 32'(once_b) == N - 1 ? '0 : once_b + 1'b1;
  always_comb begin
    dynamic_slots = '0;
    for (int i = 0; i < K; i++) dynamic_slots = dynamic_slots + (S + 1)'(!after_preloaded[i]);
    runs = running;
    stops = 0;  // before the pass
    swept = 0;
    at = counter;
    idle_before = effect ? '0 : idle_slots;
    if (!has_work(after_r, after_slots, after_preloaded) || dynamic_slots == 0) begin
      stops = running;
      runs  = 0;
    end else if (!running) begin
      runs = effect;
      at   = dynamic_from(after_preloaded, 0);
    end else if (after_preloaded[counter[S-1:0]]) begin
      at = dynamic_from(after_preloaded, counter);
      if (at == (S + 1)'(K)) begin
        at = dynamic_from(after_preloaded, 0);
        swept = 1;
      end
    end
    pass_a = stops || swept ? next_a : a;
    pass_b = stops || swept ? next_b : b;
  end

  // The pass.
  logic [M-1:0] slot, all_held, toggle;
  logic [K*M-1:0] next_slots;
  always_comb begin
    slot = '0;
    all_held = '0;
    for (int i = 0; i < K; i++) begin
      if (i == 32'(at)) slot = after_slots[i*M+:M];
      all_held = all_held | after_slots[i*M+:M];
    end
  end
  greedy_pass #(
      .N(N), .CELLS(CELLS)
  ) one_pass (
      .request(after_r), .established(all_held), .slot(slot), .a(pass_a), .b(pass_b), .toggle(toggle)
  );
  always_comb begin
    next_slots = after_slots;
    for (int i = 0; i < K; i++)
      if (pass && runs && i == 32'(at)) next_slots[i*M+:M] = after_slots[i*M+:M] ^ toggle;
    idle_after = toggle == 0 ? idle_before + 1'b1 : '0;
    ends = !has_work(after_r, next_slots, after_preloaded) || idle_after >= dynamic_slots;
    next = dynamic_from(after_preloaded, at + 1'b1);
  end

  always_ff @(posedge clk) begin
    requests <= after_r;
    slots <= next_slots;
    preloaded <= after_preloaded;
    touched <= effect;
    if (pass) begin
      touched <= 0;
      running <= runs && !ends;
      idle_slots <= runs ? idle_after : idle_before;
      counter <= next == (S + 1)'(K) ? dynamic_from(after_preloaded, 0) : next;
      a <= pass_a;
      b <= pass_b;
      // A sweep ends with this pass.
      if (runs && (ends || next == (S + 1)'(K))) begin
        a <= swept ? after_next_a : next_a;
        b <= swept ? after_next_b : next_b;
      end
    end
    if (reset) begin
      requests <= '0;
      slots <= '0;
      preloaded <= '0;
      touched <= 0;
      running <= 0;
      idle_slots <= '0;
      a <= '0;
      b <= '0;
    end
  end
  // After two sweeps that end in one clock.
  wire [P-1:0] after_next_a = 32'(next_a) == N - 1 ? '0 : next_a + 1'b1;
  wire [P-1:0] twice_b = 32'(next_b) == N - 1 ? '0 : next_b + 1'b1;
  wire [P-1:0] after_next_b = 32'(next_a) != N - 1 ? twice_b : 32'(twice_b) == N - 1 ? '0 : twice_b + 1'b1;
endmodule
