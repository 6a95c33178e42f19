// Properties of slot_scheduler.sv after the reset, for every sequence of commands and passes, by induction. PROPERTY
// selects one:
//   0 slots: every slot is a partial permutation, no connection is in two slots, and no connection of a preloaded slot is
//     requested
//   1 grants: a connection that a slot gets is requested or preloaded
module slot_scheduler_formal #(
    parameter int N = 3,
    parameter int PROPERTY = 0
) (
    input logic clk,
    input logic [N-1:0] flush,
    input logic preload,
    input logic s,
    input logic [N*N-1:0] configuration,
    input logic [N*N-1:0] request,
    input logic [N*N-1:0] release_,
    input logic pass
);
  localparam int K = 2;
  localparam int M = N * N;
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

  // Before the clock, and what the command allows.
  logic [K*M-1:0] slots_before;
  logic [M-1:0] allowed;
  logic [1:0] clocks = 0;  // since the reset
  always_ff @(posedge clk) begin
    started <= 1;
    if (started && clocks != 2) clocks <= clocks + 1'b1;
    slots_before <= slots;
    allowed <= requests | request | (preload ? configuration : '0);
  end

  logic valid_configuration, valid_slots;
  logic [N-1:0] inputs, outputs, slot_inputs, slot_outputs;
  always_comb begin
    valid_configuration = 1;
    inputs = '0;
    outputs = '0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (configuration[i*N+j]) begin
          if (inputs[i] || outputs[j]) valid_configuration = 0;
          inputs[i] = 1;
          outputs[j] = 1;
        end
  end
  always_comb begin
    valid_slots = (slots[0+:M] & slots[M+:M]) == 0;
    for (int k = 0; k < K; k++) begin
      slot_inputs = '0;
      slot_outputs = '0;
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          if (slots[k*M+i*N+j]) begin
            if (slot_inputs[i] || slot_outputs[j]) valid_slots = 0;
            slot_inputs[i] = 1;
            slot_outputs[j] = 1;
          end
      if (preloaded[k] && (slots[k*M+:M] & requests) != 0) valid_slots = 0;
    end
  end
  wire [M-1:0] new_0 = slots[0+:M] & ~slots_before[0+:M];
  wire [M-1:0] new_1 = slots[M+:M] & ~slots_before[M+:M];

  always_comb begin
    assume (valid_configuration);
    assume ((request & release_) == 0);
    if (PROPERTY == 0 && started && clocks != 0) assert (valid_slots);
    if (PROPERTY == 1 && started && clocks == 2) assert (((new_0 | new_1) & ~allowed) == 0);
  end
endmodule
