// `rtl:matching/logic`: greedy_pass.sv, then matching_logic.sv with one path a clock, until there is none. Ports as
// those of matching_matrix.sv.
module matching_logic_pass #(
    parameter int N = 8,
    parameter bit CELLS = 1,  // of greedy_array.sv
    localparam int P = $clog2(N)
) (
    input  logic           clk,
    input  logic           start,
    input  logic [N*N-1:0] request,
    input  logic [N*N-1:0] established,
    input  logic [N*N-1:0] slot,
    input  logic [  P-1:0] a,
    input  logic [  P-1:0] b,
    input  logic [    P:0] odd_steps,
    output logic           done,
    output logic [N*N-1:0] toggle
);
  logic searches;
  wire improves;
  wire [N*N-1:0] greedy, better;
  greedy_pass #(.N(N), .CELLS(CELLS)) first (
      .request(request), .established(established), .slot(slot), .a(a), .b(b), .toggle(greedy)
  );
  matching_logic #(.N(N)) path (
      .request(request), .established(established), .slot(slot), .toggle(toggle), .odd_steps(odd_steps),
      .improves(improves), .better(better)
  );
  assign done = !searches && !start;
  always_ff @(posedge clk) begin
    searches <= start ? odd_steps != 1 : searches && improves;
    if (start) toggle <= greedy;
    else if (searches) toggle <= better;  // the same without a path
  end
endmodule
