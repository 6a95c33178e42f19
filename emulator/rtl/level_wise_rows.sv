// The link rows of one level and side: a memory of W * W rows of W bits whose reads see all writes before them.
// `row` in clock 0; `value` in clock 2; what its request writes, `written`, with `writes`, in clock 3. One request a
// clock. While `clearing`, row `cleared` becomes ones.
module level_wise_rows #(
    parameter int W = 4,
    localparam int P = $clog2(W)
) (
    input  logic           clk,
    input  logic           clearing,
    input  logic [2*P-1:0] cleared,
    input  logic [2*P-1:0] row,
    output logic [  W-1:0] value,
    input  logic           writes,
    input  logic [  W-1:0] written
);
  logic [W-1:0] rows[W*W];
  logic [2*P-1:0] row_1, row_2, row_3;  // of the requests in load, compute and update
  logic [W-1:0] read, loaded, old_written;
  logic same_1, same_2, same_3;  // whether the request in load has the row of the first, second, third before it
  logic again, old_writes;
  assign value = again && writes ? written : loaded;
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
    old_written <= written;
    // In load: the second before is in update now; the third was when the memory was read.
    loaded <= same_2 && writes ? written : same_3 && old_writes ? old_written : read;
    again <= same_1;
  end
endmodule
