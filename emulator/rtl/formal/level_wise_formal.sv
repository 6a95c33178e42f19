// level_wise_block.sv never takes a link twice (one request a clock, every order of rows). After the rows are cleared,
// a model watches one arbitrary link. PROPERTY selects its row: 0 an up row, 1 a down row; 2 and 3 likewise for a block of
// nodes (SELECT = 1).
module level_wise_formal #(
    parameter int N = 4,  // W
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic valid,
    input logic failed,
    input logic skips,
    input logic [2*P-1:0] up_row,
    input logic [2*P-1:0] down_row,
    input logic [P-1:0] up_link,
    input logic [P-1:0] down_link,
    input logic [2*P-1:0] any_row,
    input logic [P-1:0] any_port
);
  logic [2*P:0] cleared = 0;
  wire clearing = !cleared[2*P];
  logic [2*P-1:0] row;
  logic [P-1:0] link;
  logic taken = 0;
  wire done, done_failed, acted;
  wire [P-1:0] port, done_up_link, done_down_link;
  wire [2*P-1:0] done_up, done_down;
  level_wise_block #(.W(N), .CARRIED(6*P+1), .SELECT(PROPERTY >= 2)) block (
      .clk(clk), .clearing(clearing), .cleared(cleared[2*P-1:0]), .valid(valid && !clearing), .failed(failed),
      .skips(skips), .up_row(up_row), .down_row(down_row), .up_link(up_link), .down_link(down_link),
      .carried({!failed && !skips, up_row, down_row, up_link, down_link}),
      .done(done), .done_failed(done_failed), .port(port),
      .carried_out({acted, done_up, done_down, done_up_link, done_down_link})
  );
  wire [2*P-1:0] done_row = PROPERTY % 2 == 0 ? done_up : done_down;
  wire [P-1:0] done_link = PROPERTY < 2 ? port : PROPERTY == 2 ? done_up_link : done_down_link;
  wire takes = done && acted && !done_failed && done_row == row && done_link == link;
  always_ff @(posedge clk) begin
    if (clearing) begin
      cleared <= cleared + 1'b1;
      row <= any_row;
      link <= any_port;
    end
    if (!clearing && takes) taken <= 1;
  end
  always_comb if (!clearing) assert (!(takes && taken));
endmodule
