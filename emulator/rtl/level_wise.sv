// The level-wise scheduler of a fat tree FT(3, W, W) (L 6, Figures 10 and 11): one request a clock and engine, W^3 nodes.
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
// Interface: `valid` with a request in every clock while `ready`; `answer_valid` with its answer 9 clocks later,
// in order. `clear` starts an empty tree: `ready` is 0 for W^2 + 1 clocks. Node n is {s_2, s_1, s_0}.
//
// Two engines: engine e has the requests of the sources whose uppermost bit is e. Their destinations have the uppermost
// bit e, or with `crossed` 1 - e: the two requests of a clock have no link in common. Node numbers are without that bit.
// Between requests with different `crossed` there must be a clock without requests (level_wise_block.sv).
module level_wise #(
    parameter int W = 4,  // 4, 8 or 16
    parameter int ENGINES = 1,  // 1 or 2
    localparam int P = $clog2(W),
    localparam int S = 3 * P + 1 - ENGINES
) (
    input  logic                 clk,
    input  logic                 clear,
    output logic                 ready,
    input  logic                 crossed,  // 0 with one engine
    input  logic [  ENGINES-1:0] valid,
    input  logic [ENGINES*S-1:0] source,
    input  logic [ENGINES*S-1:0] destination,
    output logic                 answer_crossed,
    output logic [  ENGINES-1:0] answer_valid,
    output logic [  ENGINES-1:0] granted,
    output logic [ENGINES*2-1:0] turn,  // level: ports p_0 .. p_(turn - 1) are used
    output logic [ENGINES*P-1:0] p0,
    output logic [ENGINES*P-1:0] p1
);
  localparam int R = S - P;  // bits of a switch of level 0

  // Clearing: all rows of all memories become ones.
  logic [R:0] cleared;
  assign ready = cleared[R];
  always_ff @(posedge clk)
    if (clear) cleared <= '0;
    else if (!ready) cleared <= cleared + 1'b1;

  // Node block: row = switch of the node, wanted = its link.
  localparam int N = 2 * R;
  wire [ENGINES*R-1:0] source_switch, destination_switch;
  wire [ENGINES*P-1:0] source_link, destination_link;
  wire [ENGINES*N-1:0] switches, n_switches;
  wire [ENGINES-1:0] n_valid, n_failed;
  wire n_crossed;
  for (genvar e = 0; e < ENGINES; e++) begin : g_node
    assign {source_switch[e*R+:R], source_link[e*P+:P]} = source[e*S+:S];
    assign {destination_switch[e*R+:R], destination_link[e*P+:P]} = destination[e*S+:S];
    assign switches[e*N+:N] = {source_switch[e*R+:R], destination_switch[e*R+:R]};
  end
  level_wise_block #(
      .W(W), .CARRIED(N), .SELECT(1), .ENGINES(ENGINES)
  ) node_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[R-1:0]), .crossed(crossed && ENGINES == 2),
      .valid(valid & {ENGINES{ready}}), .failed('0), .skips('0), .up_row(source_switch), .down_row(destination_switch),
      .up_link(source_link), .down_link(destination_link), .carried(switches),
      .crossed_out(n_crossed), .done(n_valid), .done_failed(n_failed), .port(), .carried_out(n_switches)
  );

  wire [ENGINES*R-1:0] n_source, n_destination;
  wire [ENGINES*N-1:0] a_switches;
  wire [ENGINES-1:0] same_switch, a_valid, a_failed;
  wire [ENGINES*P-1:0] a_port;
  wire a_crossed;
  for (genvar e = 0; e < ENGINES; e++) begin : g_p0
    assign {n_source[e*R+:R], n_destination[e*R+:R]} = n_switches[e*N+:N];
    assign same_switch[e] = n_source[e*R+:R] == n_destination[e*R+:R] && !n_crossed;
  end
  level_wise_block #(
      .W(W), .CARRIED(N), .ENGINES(ENGINES)
  ) p0_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[R-1:0]), .crossed(n_crossed),
      .valid(n_valid), .failed(n_failed), .skips(same_switch), .up_row(n_source), .down_row(n_destination),
      .up_link('0), .down_link('0), .carried(n_switches),
      .crossed_out(a_crossed), .done(a_valid), .done_failed(a_failed), .port(a_port), .carried_out(a_switches)
  );

  localparam int C = P + 2;
  wire [ENGINES*R-1:0] sigma, delta;
  wire [ENGINES-1:0] same_subtree;
  wire [ENGINES*C-1:0] turns, b_turns;
  wire [ENGINES-1:0] b_failed;
  for (genvar e = 0; e < ENGINES; e++) begin : g_p1
    wire [R-1:0] a_source, a_destination;
    assign {a_source, a_destination} = a_switches[e*N+:N];
    assign sigma[e*R+:R] = {a_source[R-1:P], a_port[e*P+:P]};
    assign delta[e*R+:R] = {a_destination[R-1:P], a_port[e*P+:P]};
    assign same_subtree[e] = a_source[R-1:P] == a_destination[R-1:P] && !a_crossed;
    assign turns[e*C+:C] = {same_subtree[e], same_subtree[e] && a_source[P-1:0] == a_destination[P-1:0], a_port[e*P+:P]};
  end
  level_wise_block #(
      .W(W), .CARRIED(C), .ENGINES(ENGINES)
  ) p1_block (
      .clk(clk), .clearing(!ready), .cleared(cleared[R-1:0]), .crossed(a_crossed),
      .valid(a_valid), .failed(a_failed), .skips(same_subtree), .up_row(sigma), .down_row(delta),
      .up_link('0), .down_link('0), .carried(turns),
      .crossed_out(answer_crossed), .done(answer_valid), .done_failed(b_failed), .port(p1), .carried_out(b_turns)
  );
  for (genvar e = 0; e < ENGINES; e++) begin : g_answer
    wire in_subtree, in_switch;
    assign {in_subtree, in_switch, p0[e*P+:P]} = b_turns[e*C+:C];
    assign turn[e*2+:2] = in_switch ? 2'd0 : in_subtree ? 2'd1 : 2'd2;
    assign granted[e] = !b_failed[e];
  end
endmodule
