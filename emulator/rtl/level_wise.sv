// The level-wise scheduler of a fat tree FT(3, W, W) (L 6, Figures 10 and 11): one request a clock, W^3 nodes.
//
// Stages: node block, P0 block, P1 block, each with load, compute and update. Every block has two memories of one row of
// W bits a switch, one for the sources' side and one for the destinations' side: 1 is a free link.
//   node block  the link of each node to its switch; a request whose node has its link in use fails
//   P0 block    Ulink(0, sigma_0) and Dlink(0, delta_0): takes the lowest port free in both
//   P1 block    Ulink(1, sigma_1) and Dlink(1, delta_1), sigma_1 = (s_2, P0), delta_1 = (d_2, P0)
// A request whose nodes have one switch needs no port; one whose nodes have s_2 = d_2 turns at level 1 and needs P0.
// A request that fails keeps what it took in the blocks before, as in L figure 7, where all other requests have then
// chosen there: the grants are those of `level-wise`.
//
// Interface: `valid` with a request in every clock while `ready`; `answer_valid` with its answer Latency clocks later,
// in order. `clear` starts an empty tree: `ready` is 0 for W^2 + 1 clocks. Node n is {s_2, s_1, s_0}.
module level_wise #(
    parameter int W = 4,  // 4, 8 or 16
    localparam int P = $clog2(W)
) (
    input  logic           clk,
    input  logic           clear,
    output logic           ready,
    input  logic           valid,
    input  logic [3*P-1:0] source,
    input  logic [3*P-1:0] destination,
    output logic           answer_valid,
    output logic           granted,
    output logic [    1:0] turn,  // level: ports p_0 .. p_(turn - 1) are used
    output logic [  P-1:0] p0,
    output logic [  P-1:0] p1
);
  // Clearing: all rows of all memories become ones.
  logic [2*P:0] cleared;
  assign ready = cleared[2*P];
  always_ff @(posedge clk)
    if (clear) cleared <= '0;
    else if (!ready) cleared <= cleared + 1'b1;

  // What a request carries from block to block.
  // Node block: row = switch of the node, wanted = its link.
  logic n_valid, n_failed, p0_valid, p0_failed, p1_valid, p1_failed;
  logic [2*P-1:0] n_source, n_destination;  // switches
  logic [2*P-1:0] a_source, a_destination;
  logic [P-1:0] b_source, b_destination;
  logic [P-1:0] unused_n, p0_port, p1_port;
  level_wise_block #(
      .W(W), .CARRIED(4*P), .SELECT(1)
  ) node_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[2*P-1:0]),
      .valid(valid && ready), .failed(1'b0), .skips(1'b0),
      .up_row(source[3*P-1:P]), .down_row(destination[3*P-1:P]),
      .up_link(source[P-1:0]), .down_link(destination[P-1:0]),
      .carried({source[3*P-1:P], destination[3*P-1:P]}),
      .done(n_valid), .done_failed(n_failed), .port(unused_n), .carried_out({n_source, n_destination})
  );
  wire same_switch = n_source == n_destination;
  level_wise_block #(
      .W(W), .CARRIED(4*P), .SELECT(0)
  ) p0_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[2*P-1:0]),
      .valid(n_valid), .failed(n_failed), .skips(same_switch),
      .up_row(n_source), .down_row(n_destination), .up_link('0), .down_link('0),
      .carried({n_source, n_destination}),
      .done(p0_valid), .done_failed(p0_failed), .port(p0_port), .carried_out({a_source, a_destination})
  );
  logic [P-1:0] c_p0;
  logic c_same;
  wire same_subtree = a_source[2*P-1:P] == a_destination[2*P-1:P];
  level_wise_block #(
      .W(W), .CARRIED(3*P+1), .SELECT(0)
  ) p1_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[2*P-1:0]),
      .valid(p0_valid), .failed(p0_failed), .skips(same_subtree),
      .up_row({a_source[2*P-1:P], p0_port}), .down_row({a_destination[2*P-1:P], p0_port}),
      .up_link('0), .down_link('0),
      .carried({a_source == a_destination, a_source[2*P-1:P], a_destination[2*P-1:P], p0_port}),
      .done(p1_valid), .done_failed(p1_failed), .port(p1_port),
      .carried_out({c_same, b_source, b_destination, c_p0})
  );
  assign answer_valid = p1_valid;
  assign granted = !p1_failed;
  assign turn = c_same ? 0 : b_source == b_destination ? 1 : 2;
  assign p0 = c_p0;
  assign p1 = p1_port;
endmodule
