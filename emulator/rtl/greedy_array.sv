// The SL array of D 5.3.2 with Table 5.2 corrected: N x N cells, combinational, one pass over one slot.
//
// Cell (u,v) is input u, output v. `a` runs through the rows, `d` through the columns: 1 while the port is in use.
//   release[u,v]    B^(s) and not R: the cell toggles and frees both ports for the cells after it
//   establish[u,v]  R and not B*: the cell toggles if it finds both ports free, and takes them
// The printed table has one signal L for both and cannot tell "establish, both ports in use" from "release".
//
// Preconditions: the slot is a partial permutation; release is a part of it; inputs_in_use and outputs_in_use are
// its row and column sums. Then slot ^ toggle is a partial permutation (proof: formal/greedy_formal.sv).
//
// Bit u * N + v of a vector is (u,v). Row 0 and column 0 have the highest priority; greedy_pass.sv rotates it.
// CELLS = 1 is the array of cells, which is synthesised: one LUT4 for each of a, d and toggle, 2 N - 1 cells on the
// longest path. CELLS = 0 computes whole rows and is for simulation: 1000 times faster at N = 128. A proof shows that
// both are the same function.
module greedy_array #(
    parameter int N = 8,
    parameter bit CELLS = 1
) (
    input  logic [N*N-1:0] establish,
    input  logic [N*N-1:0] release_,
    input  logic [  N-1:0] inputs_in_use,
    input  logic [  N-1:0] outputs_in_use,
    output logic [N*N-1:0] toggle
);
  if (CELLS) begin : g_cells
    wire [N*N+N-1:0] a;  // bit u * N + v enters (u,v) from row u - 1
    wire [N*N+N-1:0] d;  // bit v * N + u enters (u,v) from column v - 1
    assign a[0+:N] = outputs_in_use;
    assign d[0+:N] = inputs_in_use;
    for (genvar u = 0; u < N; u++) begin : g_row
      for (genvar v = 0; v < N; v++) begin : g_cell
        localparam int I = u * N + v;
        localparam int J = v * N + u;
        assign toggle[I] = release_[I] | (establish[I] & ~a[I] & ~d[J]);
        assign a[I+N] = ~release_[I] & (a[I] | (establish[I] & ~d[J]));
        assign d[J+N] = ~release_[I] & (d[J] | (establish[I] & ~a[I]));
      end
    end
  end else begin : g_rows
    always_comb begin
      logic [N-1:0] in_use, released, may, chosen;
      in_use = outputs_in_use;
      for (int u = 0; u < N; u++) begin
        released = release_[u*N+:N];
        // The columns at which the input is free: those after the released one.
        may = {N{~inputs_in_use[u]}} | ({N{|released}} & ~(released | (released - 1'b1)));
        may &= establish[u*N+:N] & ~in_use;
        chosen = may & (~may + 1'b1);  // the lowest
        toggle[u*N+:N] = released | chosen;
        in_use = (in_use & ~released) | chosen;
      end
    end
  end
endmodule
