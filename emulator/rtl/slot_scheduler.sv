// The scheduler of D 5.3.1, Figure 5.1, without its TDM counter (tdm_controller.sv): R, K slot registers, B*, the SL
// counter, pre-scheduling and SL array. One command and one pass a clock; emulator/scheduler/model_port.h is the same
// machine in C++.
//
//   op 0 none
//   op 1 request u, v     R(u,v) := 1, unless a preloaded slot holds (u,v)
//   op 2 release u, v     R(u,v) := 0, unless a preloaded slot holds (u,v)
//   op 3 preload s        slot s holds `configuration` and is left out of the sweeps until it is empty; other slots lose
//                         its connections
//   op 4 flush u          removes requests and connections of input u;  op 5 flush: of all inputs
// A pass sees the command of its clock. `slots` is B after the clock: bit (s * N + u) * N + v.
//
// A sweep makes a pass over each slot that is not preloaded, from slot 0 up. It stops when there is no work, or after as
// many passes without a toggle as there are such slots; the next command with an effect starts a sweep.
module slot_scheduler #(
    parameter int N = 8,
    parameter int K = 4,
    parameter bit CELLS = 1,  // of greedy_array.sv
    localparam int P = $clog2(N),
    localparam int S = K > 1 ? $clog2(K) : 1
) (
    input  logic             clk,
    input  logic             reset,
    input  logic [      2:0] op,
    input  logic [    P-1:0] u,
    input  logic [    P-1:0] v,
    input  logic [    S-1:0] s,
    input  logic [  N*N-1:0] configuration,
    output logic [  N*N-1:0] requests,
    output logic [K*N*N-1:0] slots,
    output logic [    K-1:0] preloaded,
    output logic             running  // a pass in the next clock
);
  localparam logic [2:0] Request = 1, Release = 2, Preload = 3, FlushInput = 4, FlushAll = 5;
  localparam int M = N * N;
  localparam logic [N*N-1:0] One = 1;

  // The command.
  logic [M-1:0] after_r, held, held_preloaded, bit_uv, flushed;
  logic [K*M-1:0] after_slots;
  logic [K-1:0] after_preloaded;
  logic effect;
  always_comb begin
    held = '0;
    held_preloaded = '0;
    for (int i = 0; i < K; i++) begin
      held = held | slots[i*M+:M];
      if (preloaded[i]) held_preloaded = held_preloaded | slots[i*M+:M];
    end
    bit_uv = One << (32'(u) * N + 32'(v));
    flushed = '0;
    for (int i = 0; i < N; i++) if (op == FlushAll || i == 32'(u)) flushed[i*N+:N] = '1;
    after_r = requests;
    after_slots = slots;
    after_preloaded = preloaded;
    effect = 0;
    case (op)
      Request: begin
        effect = (bit_uv & (requests | held_preloaded)) == 0;
        if (effect) after_r = requests | bit_uv;
      end
      Release: begin
        effect = (bit_uv & requests) != 0;
        after_r = requests & ~bit_uv;
      end
      Preload: begin
        effect  = 1;
        after_r = requests & ~configuration;
        for (int i = 0; i < K; i++)
          if (i == 32'(s)) begin
            after_slots[i*M+:M] = configuration;
            after_preloaded[i] = configuration != 0;
          end else begin
            after_slots[i*M+:M] = slots[i*M+:M] & ~configuration;
            if ((slots[i*M+:M] & ~configuration) == 0) after_preloaded[i] = 0;
          end
      end
      FlushInput, FlushAll: begin
        effect  = 1;
        after_r = requests & ~flushed;
        for (int i = 0; i < K; i++) begin
          after_slots[i*M+:M] = slots[i*M+:M] & ~flushed;
          if ((slots[i*M+:M] & ~flushed) == 0) after_preloaded[i] = 0;
        end
      end
      default: ;
    endcase
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
    idle_before = idle_slots;
    if (effect) begin
      idle_before = '0;
      if (!has_work(after_r, after_slots, after_preloaded) || dynamic_slots == 0) begin
        stops = running;
        runs  = 0;
      end else if (!running) begin
        runs = 1;
        at   = dynamic_from(after_preloaded, 0);
      end else if (after_preloaded[counter[S-1:0]]) begin
        at = dynamic_from(after_preloaded, counter);
        if (at == (S + 1)'(K)) begin
          at = dynamic_from(after_preloaded, 0);
          swept = 1;
        end
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
  ) pass (
      .request(after_r), .established(all_held), .slot(slot), .a(pass_a), .b(pass_b), .toggle(toggle)
  );
  always_comb begin
    next_slots = after_slots;
    for (int i = 0; i < K; i++)
      if (runs && i == 32'(at)) next_slots[i*M+:M] = after_slots[i*M+:M] ^ toggle;
    idle_after = toggle == 0 ? idle_before + 1'b1 : '0;
    ends = !has_work(after_r, next_slots, after_preloaded) || idle_after >= dynamic_slots;
    next = dynamic_from(after_preloaded, at + 1'b1);
  end

  always_ff @(posedge clk) begin
    requests <= after_r;
    slots <= next_slots;
    preloaded <= after_preloaded;
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
    if (reset) begin
      requests <= '0;
      slots <= '0;
      preloaded <= '0;
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
