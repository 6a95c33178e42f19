// Properties of slot_scheduler.sv with K = 2 after the reset, for every sequence of commands and passes, by induction.
// PROPERTY selects one:
//   0 slots: every slot is a partial permutation, no connection is in two slots, and no connection of a preloaded slot is
//     requested
//   1 requests: R is what the commands make it; a slot gets, and after a flush keeps, only what is in R or preloaded
//   2 waiting: of K (N^2 - 1) + 1 passes that find both ports of a request free in all slots that are not preloaded, one
//     grants it, if there is no preload in these clocks (a preload can skip a sweep)
//   3 release: of K passes that find an unrequested connection in a slot that is not preloaded, one removes it
//   4 waiting, with the invariants that make it inductive
// Properties 2 to 4 are for passes in successive clocks.
module slot_scheduler_formal #(
    parameter int N = 3,
    parameter int PROPERTY = 0,
    localparam int M = N * N,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [N-1:0] flush,
    input logic preload,
    input logic s,
    input logic [M-1:0] configuration,
    input logic [M-1:0] request,
    input logic [M-1:0] release_,
    input logic pass,
    input logic any_slot,
    input logic [P-1:0] any_input,
    input logic [P-1:0] any_output
);
  localparam int K = 2;
  logic started = 0;
  wire [M-1:0] requests;
  wire [K*M-1:0] slots;
  wire [K-1:0] preloaded;
  wire running;
  slot_scheduler #(.N(N), .K(K), .CELLS(1)) scheduler (
      .clk(clk), .reset(!started), .flush(flush), .preload(preload), .s(s), .configuration(configuration),
      .request(request), .release_(release_), .pass(pass), .requests(requests), .slots(slots), .removed(), .preloaded(preloaded),
      .running(running)
  );

  `include "is_permutation.svh"
  // The model: R and the connections of preloaded slots, before and after the commands of this clock.
  logic [M-1:0] r = '0, next_r, gone, all_fixed;
  logic [K*M-1:0] fixed = '0, next_fixed, left;  // left: in the slots after the commands
  always_comb begin
    for (int i = 0; i < N; i++) gone[i*N+:N] = {N{flush[i]}} | (preload ? configuration[i*N+:N] : '0);
    next_fixed = fixed & ~{K{gone}};
    left = slots & ~{K{gone}};
    for (int k = 0; k < K; k++)
      if (preload && k == 32'(s)) begin
        next_fixed[k*M+:M] = configuration;
        left[k*M+:M] = configuration;
      end
    all_fixed = next_fixed[0+:M] | next_fixed[M+:M];
    next_r = ((r & ~gone) | (request & ~all_fixed)) & ~release_;
  end

  logic valid_slots, as_fixed;
  logic [K-1:0] is_fixed;
  always_comb begin
    as_fixed = 1;
    valid_slots = (slots[0+:M] & slots[M+:M]) == 0;
    for (int k = 0; k < K; k++) begin
      if (!is_permutation(slots[k*M+:M])) valid_slots = 0;
      if (preloaded[k] && (slots[k*M+:M] & requests) != 0) valid_slots = 0;
      is_fixed[k] = fixed[k*M+:M] != 0;
      if (is_fixed[k] && slots[k*M+:M] != fixed[k*M+:M]) as_fixed = 0;
    end
  end

  // An arbitrary connection (u,v) and slot k: what it waits for has not come in this number of passes.
  logic [P-1:0] u, v;
  logic k;
  logic [2*P+1:0] passes = '0;
  logic waits;
  logic [M-1:0] connection, ports;
  logic [K*M-1:0] left_before;  // of the last clock
  wire [M-1:0] left_0 = left[0+:M], left_1 = left[M+:M];
  wire dynamic_0 = next_fixed[0+:M] == 0, dynamic_1 = next_fixed[M+:M] == 0;
  always_comb begin
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) begin
        connection[i*N+j] = 32'(u) == i && 32'(v) == j;
        ports[i*N+j] = 32'(u) == i || 32'(v) == j;
      end
    if (PROPERTY != 3)
      waits = !preload && (next_r & connection) != 0 && (dynamic_0 || dynamic_1) && (!dynamic_0 || (left_0 & ports) == 0) &&
          (!dynamic_1 || (left_1 & ports) == 0);
    else waits = (next_r & connection) == 0 && ((k ? left_1 : left_0) & connection) != 0 && (k ? dynamic_1 : dynamic_0);
  end
  wire has_0 = (slots[0+:M] & connection) != 0, has_1 = (slots[M+:M] & connection) != 0;
  wire comes = PROPERTY != 3 ? has_0 || has_1 : !(k ? has_1 : has_0);
  logic waited = 0;
  wire [2*P+1:0] passes_now = waited && !comes ? passes : '0;
  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) begin
      u <= any_input;
      v <= any_output;
      k <= any_slot;
    end else begin
      r <= next_r;
      fixed <= next_fixed;
      left_before <= left;
      waited <= waits;
      passes <= waits ? passes_now + 1'b1 : '0;
    end
  end

  // The invariants: passes that came and those left until the sweep with priority (u,v) keep the bound, and passes go on
  // while (u,v) could be granted. Sweep t of N^2 has priority (t mod N, (t + t / N) mod N).
  (* hierconn *) wire [1:0] \scheduler.counter , \scheduler.idle_slots ;
  (* hierconn *) wire [P-1:0] \scheduler.a , \scheduler.b ;
  wire [1:0] counter = \scheduler.counter , idle_slots = \scheduler.idle_slots ;
  wire [P-1:0] a = \scheduler.a , b = \scheduler.b ;
  function automatic logic [7:0] sweep_at(input logic [P-1:0] x, input logic [P-1:0] y);
    sweep_at = 8'(y >= x ? y - x : N + 32'(y) - 32'(x)) * 8'(N) + 8'(x);
  endfunction
  wire [7:0] sweep = sweep_at(a, b), sweep_wanted = sweep_at(u, v);
  wire [7:0] sweeps_left = sweep_wanted >= sweep ? sweep_wanted - sweep : sweep_wanted + 8'(M) - sweep;
  wire [7:0] passes_left = 8'(K) * sweeps_left - (running && sweeps_left != 0 ? 8'(counter) : 8'd0);
  wire could_be_granted = (requests & connection) != 0 && preloaded != '1 &&
      (preloaded[0] || (slots[0+:M] & ports) == 0) && (preloaded[1] || (slots[M+:M] & ports) == 0);

  always_comb begin
    assume (is_permutation(configuration));
    assume ((request & release_) == 0);
    if (PROPERTY >= 2) assume (pass);
    if (started) begin
      if (PROPERTY != 1) assert (valid_slots);
      if (PROPERTY >= 1) assert (requests == r && preloaded == is_fixed && as_fixed);
      if (PROPERTY == 1)
        assert ((slots & ~left_before & ~{K{r}} & ~fixed) == 0);
      if (PROPERTY == 2 || PROPERTY == 4) assert (32'(passes_now) <= K * (M - 1));
      if (PROPERTY == 4) begin
        assert ({1'b0, a} < (P + 1)'(N) && {1'b0, b} < (P + 1)'(N));
        assert (passes_now == 0 || 32'(passes_now) + 32'(passes_left) <= K * (M - 1));
        assert (passes_now == 0 || !running || (32'(counter) < K && !preloaded[counter[0]]));
        assert (!could_be_granted || (running && idle_slots == 0));
      end
      if (PROPERTY == 3) assert (32'(passes_now) < K);
    end
  end
endmodule
