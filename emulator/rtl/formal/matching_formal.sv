// Properties of matching_logic.sv, for every slot and every schedule that starts it. PROPERTY selects one:
//   0 slot: the slot after `better` is a partial permutation, and gets only requested connections that no slot holds
//   1 one more: a path adds exactly one connection, and takes none that is still requested from the slot
//   2 maximum: if there is no path, no single connection can be added, and none can be exchanged for two
module matching_formal #(
    parameter int N = 3,
    parameter int PROPERTY = 0
) (
    input logic [N*N-1:0] request,
    input logic [N*N-1:0] established,
    input logic [N*N-1:0] slot,
    input logic [N*N-1:0] toggle
);
  localparam int P = $clog2(N);
  wire improves;
  wire [N*N-1:0] better;
  matching_logic #(.N(N)) matching (
      .request(request), .established(established), .slot(slot), .toggle(toggle), .odd_steps((P + 1)'(N)),
      .improves(improves), .better(better)
  );

  `include "is_permutation.svh"
  function automatic logic [7:0] size(input logic [N*N-1:0] set);
    size = '0;
    for (int i = 0; i < N * N; i++) size = size + 8'(set[i]);
  endfunction

  wire [N*N-1:0] slot_before = slot ^ toggle;
  wire [N*N-1:0] slot_after = slot ^ better;
  wire [N*N-1:0] open = request & ~established;
  always_comb begin
    // What greedy_pass.sv makes: unrequested connections are released, requested ones in no slot established.
    assume (is_permutation(slot) && is_permutation(slot_before));
    assume ((slot & ~established) == 0);
    assume ((slot & ~request & ~toggle) == 0);
    assume ((toggle & slot & request) == 0);
    assume ((toggle & ~slot & ~open) == 0);
    if (PROPERTY == 0) assert (is_permutation(slot_after) && (slot_after & ~slot & ~open) == 0);
    if (PROPERTY == 1 && improves) assert (size(slot_after) == size(slot_before) + 1 && (slot & request & ~slot_after) == 0);
  end
  if (PROPERTY == 2) begin : g_maximum
    always_comb
      if (!improves)
        for (int c = 0; c < N * N; c++)
          if (open[c]) begin
            assert (slot_before[c] || !is_permutation(slot_before | (N * N)'(1) << c));
            for (int d = c + 1; d < N * N; d++)
              for (int e = 0; e < N * N; e++)
                if (open[d] && slot_before[e] && !slot[e] && !slot_before[c] && !slot_before[d])
                  assert (!is_permutation((slot_before & ~((N * N)'(1) << e)) | (N * N)'(1) << c | (N * N)'(1) << d));
          end
  end
endmodule
