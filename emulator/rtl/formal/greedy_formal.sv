// Properties of greedy_pass.sv for every request matrix, every slot and every priority. PROPERTY selects one:
//   0 permutation: the slot stays a partial permutation
//   1 requested: only requested connections in no slot are established, and exactly the unrequested ones released
//   2 progress: a pass that toggles nothing leaves no request between two free ports
//   3 priority: a request of the cell with the highest priority is established if both its ports are free
//     (slot_scheduler_formal.sv, property 2: how long it waits)
//   4 rows: the array of cells and the computation by rows are the same function
module greedy_formal #(
    parameter int N = 4,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic [N*N-1:0] request,
    input logic [N*N-1:0] established,
    input logic [N*N-1:0] slot,
    input logic [  P-1:0] a,
    input logic [  P-1:0] b
);
  wire [N*N-1:0] toggle, toggle_by_rows;
  greedy_pass #(.N(N), .CELLS(1)) cells (.request(request), .established(established), .slot(slot), .a(a), .b(b),
                                         .toggle(toggle));
  greedy_pass #(.N(N), .CELLS(0)) rows (.request(request), .established(established), .slot(slot), .a(a), .b(b),
                                        .toggle(toggle_by_rows));

  wire [N*N-1:0] next = slot ^ toggle;
  wire [N*N-1:0] open = request & ~established;
  logic [N-1:0] output_held;
  logic blocked;  // every open request has a port in use
  always_comb begin
    output_held = '0;
    for (int u = 0; u < N; u++) output_held = output_held | slot[u*N+:N];
    blocked = 1;
    for (int u = 0; u < N; u++)
      if ((open[u*N+:N] & ~output_held) != 0 && slot[u*N+:N] == 0) blocked = 0;
  end
  `include "is_permutation.svh"

  always_comb begin
    assume (is_permutation(slot));
    assume ((slot & ~established) == 0);
    assume ({1'b0, a} < (P + 1)'(N) && {1'b0, b} < (P + 1)'(N));
    if (PROPERTY == 0) assert (is_permutation(next));
    if (PROPERTY == 1) assert ((next & ~slot & ~open) == 0 && (slot & ~next) == (slot & ~request));
    if (PROPERTY == 2) assert (toggle != 0 || blocked);
    if (PROPERTY == 3)
      assert (!open[a*N+b] || slot[a*N+:N] != 0 || output_held[b] || toggle[a*N+b]);
    if (PROPERTY == 4) assert (toggle == toggle_by_rows);
  end
endmodule
