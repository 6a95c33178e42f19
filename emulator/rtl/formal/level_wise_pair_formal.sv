// Two engines behind their queues (level_wise_issue.sv and a block) never take a link twice, for every sequence of
// requests, also over changes of `crossed`. After the rows are cleared, a model watches one arbitrary link: of an up row
// (PROPERTY = 0) or of a down row (PROPERTY = 1). PROPERTY = 2: while requests are in the queues or between them and the
// block, one of five clocks issues a request.
module level_wise_pair_formal #(
    parameter int N = 4,  // W
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N),
    localparam int R = 2 * P - 1
) (
    input logic clk,
    input logic [1:0] valid,
    input logic [2*R-1:0] up_row,
    input logic [1:0] side,
    input logic [2*R-1:0] down_row,
    input logic any_side,
    input logic [R-1:0] any_row,
    input logic [P-1:0] any_port
);
  logic [R:0] cleared = 0;
  wire clearing = !cleared[R];
  logic bank;
  logic [R-1:0] row;
  logic [P-1:0] link;
  logic taken = 0;
  wire crossed, done_crossed;
  wire [1:0] ready, issued, done, done_failed;
  wire [2*R-1:0] issued_up, issued_down;
  wire [2*P-1:0] port;
  wire [4*R-1:0] rows;
  level_wise_issue #(.S(R), .DEPTH(2)) issue (
      .clk(clk), .reset(clearing), .ready(ready), .valid(valid), .source(up_row), .side(side), .destination(down_row),
      .crossed(crossed), .issue_valid(issued), .issue_source(issued_up), .issue_destination(issued_down)
  );
  level_wise_block #(.W(N), .CARRIED(2*R), .ENGINES(2)) block (
      .clk(clk), .clearing(clearing), .cleared(cleared[R-1:0]), .crossed(crossed), .valid(issued), .failed('0),
      .skips('0), .up_row(issued_up), .down_row(issued_down), .up_link('0), .down_link('0),
      .carried({issued_up[R+:R], issued_down[R+:R], issued_up[0+:R], issued_down[0+:R]}),
      .crossed_out(done_crossed), .done(done), .done_failed(done_failed), .port(port), .carried_out(rows)
  );
  wire [1:0] takes;
  for (genvar e = 0; e < 2; e++) begin : g_engine
    wire [R-1:0] done_up, done_down;
    assign {done_up, done_down} = rows[2*R*e+:2*R];
    assign takes[e] = done[e] && !done_failed[e] && port[e*P+:P] == link &&
        (PROPERTY == 0 ? done_up == row && bank == e : done_down == row && (bank ^ done_crossed) == e);
  end

  logic [3:0] waiting = 0;  // requests that are not issued yet
  logic [2:0] idle = 0;  // clocks that issued none of them
  wire [1:0] pushes = valid & ready;
  always_ff @(posedge clk) begin
    if (clearing) begin
      cleared <= cleared + 1'b1;
      bank <= any_side;
      row <= any_row;
      link <= any_port;
    end
    if (!clearing && takes != 0) taken <= 1;
    waiting <= clearing ? 4'd0 : waiting + 4'(pushes[0]) + 4'(pushes[1]) - 4'(issued[0]) - 4'(issued[1]);
    idle <= clearing || waiting == 0 || issued != 0 ? 3'd0 : idle + 1'b1;
  end
  always_comb begin
    if (!clearing && PROPERTY < 2) assert (takes != 2'b11 && !(takes != 0 && taken));
    if (!clearing && PROPERTY == 2) assert (idle < 5);
  end
endmodule
