// The link rows of one level and side: a memory of ROWS rows of W bits whose reads see all writes before them, but not
// that of the request directly before. `row` in clock 0; in clock 1 `load`, and `again` if the request before has the
// same row. In clock 3, with `writes`, what the request takes from its row, `taken`, and what it leaves, `written`. One
// request a clock. While `clearing`, row `cleared` becomes ones.
module level_wise_rows #(
    parameter int W = 4,
    parameter int ROWS = W * W,
    localparam int R = $clog2(ROWS)
) (
    input  logic         clk,
    input  logic         clearing,
    input  logic [R-1:0] cleared,
    input  logic [R-1:0] row,
    output logic [W-1:0] load,
    output logic         again,
    input  logic         writes,
    input  logic [W-1:0] taken,
    input  logic [W-1:0] written
);
  logic [W-1:0] rows[ROWS];
  logic [R-1:0] row_1, row_2, row_3;  // of the requests in load, compute and update
  logic [W-1:0] read, old_taken;
  logic same_1, same_2, same_3;  // whether the request in load has the row of the first, second, third before it
  logic old_writes;
  // In load: the second before is in update now; the third was when the memory was read.
  // `keep`: the row comes late from a block RAM, so that only one LUT may follow it.
  (* keep *) wire [W-1:0] gone = ({W{same_2 && writes}} & taken) | ({W{same_3 && old_writes}} & old_taken);
  assign load = read & ~gone;
  assign again = same_1;
  always_ff @(posedge clk) begin
    if (clearing || writes) rows[clearing ? cleared : row_3] <= clearing ? '1 : written;
    read <= rows[row];
    row_1 <= row;
    row_2 <= row_1;
    row_3 <= row_2;
    same_1 <= row == row_1;
    same_2 <= row == row_2;
    same_3 <= row == row_3;
    old_writes <= writes;
    old_taken <= taken;
  end
endmodule
