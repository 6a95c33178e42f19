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
  logic [N-1:0] input_held, output_held, input_taken, output_taken;
  logic before_is_permutation, after_is_permutation;
  always_comb begin
    input_held = '0;
    output_held = '0;
    input_taken = '0;
    output_taken = '0;
    before_is_permutation = 1;
    after_is_permutation = 1;
    for (int u = 0; u < N; u++)
      for (int v = 0; v < N; v++) begin
        if (slot[u*N+v]) begin
          if (input_held[u] || output_held[v]) before_is_permutation = 0;
          input_held[u] = 1;
          output_held[v] = 1;
        end
        if (next[u*N+v]) begin
          if (input_taken[u] || output_taken[v]) after_is_permutation = 0;
          input_taken[u] = 1;
          output_taken[v] = 1;
        end
      end
  end

  logic blocked;
  always_comb begin
    blocked = 1;  // every open request has a port in use
    for (int u = 0; u < N; u++)
      for (int v = 0; v < N; v++)
        if (open[u*N+v] && !input_held[u] && !output_held[v]) blocked = 0;
  end

  always_comb begin
    assume (before_is_permutation);
    assume ((slot & ~established) == 0);
    assume ({1'b0, a} < (P + 1)'(N) && {1'b0, b} < (P + 1)'(N));
    if (PROPERTY == 0) assert (after_is_permutation);
    if (PROPERTY == 1) assert ((next & ~slot & ~open) == 0 && (slot & ~next) == (slot & ~request));
    if (PROPERTY == 2) assert (toggle != 0 || blocked);
    if (PROPERTY == 3)
      assert (!open[a*N+b] || input_held[a] || output_held[b] || toggle[a*N+b]);
    if (PROPERTY == 4) assert (toggle == toggle_by_rows);
  end
endmodule
