// The level-wise scheduler of a fat tree FT(3, W, W) with a cell for each switch: all requests in W^2 steps, up to W^3 of
// them, at most one a source. In flip-flops; for W = 4. The grants and paths are those of `level-wise` (L figure 7) for
// the requests in the order of the steps, in a step in that of the sources.
//
// Step {y, x}: the requests from switch {h, l} of level 0 to switch {h + y + 1, l + x + 1}, all mod W. In a step no two
// source switches have the same destination switch, and no two subtrees the same destination subtree. So all cells of a
// level work at once, and the destinations' rows move from cell to cell. In the last W steps requests turn at level 1, in
// the last one at level 0: no step waits for a level above it.
//
//   clock 0  match  the requests of the step
//   clock 1  first  of the requests of a switch for one node
//   clock 2  nodes  both nodes' links must be free
//   clock 3         level 0 counts (level_wise_cell.sv)
//   clock 4         level 0 takes ports
//   clock 5         P0; level 1 counts
//   clock 6         level 1 takes ports
//   clock 7         P1
//
// Interface: while `ready`, W clocks with `load`: in clock k the requests of node k of each switch. W^2 + W clocks
// later the answers come in the same way, W clocks with `answers`. The links stay taken for the next requests until
// `clear`, which is only allowed while `ready`. Node n is {n_2, n_1, n_0}, its switch {n_2, n_1}.
module level_wise_array #(
    parameter int W = 4,  // a power of 2
    localparam int P = $clog2(W),
    localparam int M = W * W  // switches of a level
) (
    input  logic             clk,
    input  logic             clear,
    output logic             ready,
    input  logic             load,
    input  logic [    M-1:0] valid,
    input  logic [M*3*P-1:0] destination,
    output logic             answers,
    output logic [    M-1:0] granted,
    output logic [  M*2-1:0] turn,  // level: ports p_0 .. p_(turn - 1) are used
    output logic [  M*P-1:0] p0,
    output logic [  M*P-1:0] p1
);
  localparam int C = 2 * P + 2;
  localparam int FirstAnswer = M + 4;
  logic [P-1:0] loaded;
  logic [C-1:0] t;  // of the step in `match`
  logic busy;
  wire in_steps = busy && t[C-1:2*P] == 0;
  assign ready = !busy;
  always_ff @(posedge clk) begin
    loaded <= loaded + P'(load);
    t <= busy ? t + 1'b1 : '0;
    if (load && loaded == '1) busy <= 1;
    if (t == C'(FirstAnswer - 1)) answers <= 1;
    if (t == C'(FirstAnswer + W - 1)) begin
      answers <= 0;
      busy <= 0;
    end
    if (clear) begin
      loaded <= '0;
      busy <= 0;
      answers <= 0;
    end
  end

  // By clock of a step: whether there is one; the last one of its y; turns at level 1 or 0; turns at level 0.
  logic [6:1] steps, ends;
  logic [5:1] same_subtree;
  logic [3:1] same_switch;
  always_ff @(posedge clk) begin
    steps <= {steps[5:1], in_steps && !clear};
    ends <= {ends[5:1], t[P-1:0] == '1};
    same_subtree <= {same_subtree[4:1], t[2*P-1:P] == '1};
    same_switch <= {same_switch[2:1], t[2*P-1:0] == '1};
  end

  // By switch of level 0: what the cells leave to others. By switch of level 1, {subtree, P0}, too.
  wire [M*W-1:0] nodes_left, down_left_0, down_left_1;
  // By switch of level 0 and P0.
  wire [M*W-1:0] taken_0;
  logic [M*W-1:0] fits_1;
  logic [M*W*P-1:0] port_1;

  for (genvar i = 0; i < M; i++) begin : g_switch
    localparam int H = i / W;
    localparam int L = i % W;
    localparam int Next = H * W + (L + 1) % W;  // the cell whose row comes next
    localparam int NextEnd = (H + 1) % W * W + (L + 1) % W;  // at the end of y
    localparam logic [P-1:0] FirstHigh = P'(H + 1);
    localparam logic [P-1:0] FirstLow = P'(L + 1);

    // The requests, by node.
    logic [W-1:0] valids, source_free;
    logic [W*2*P-1:0] steps_of;
    logic [W*P-1:0] links;
    wire [P-1:0] high, low, link;
    assign {high, low, link} = destination[i*3*P+:3*P];
    // Node links.
    logic [W-1:0] match, first, any, nodes_free;
    logic [W*W-1:0] same_link;
    logic [W-1:0] is_first, any_to, fits_nodes;
    always_comb begin
      is_first = match;
      any_to = '0;
      for (int k = 0; k < W; k++) begin
        for (int j = 0; j < k; j++) if (match[j] && same_link[k*W+j]) is_first[k] = 0;
        for (int d = 0; d < W; d++) if (match[k] && 32'(links[k*P+:P]) == d) any_to[d] = 1;
      end
    end
    assign nodes_left[i*W+:W] = nodes_free & ~any;

    // Level 0.
    wire [W-1:0] fits_0;
    wire [W*P-1:0] port_0;
    level_wise_cell #(.W(W)) level_0 (
        .clk(clk), .clear(clear), .skip(same_switch[3]), .want(fits_nodes), .step(steps[4]),
        .down_left(down_left_0[i*W+:W]), .down_next(ends[4] ? down_left_0[NextEnd*W+:W] : down_left_0[Next*W+:W]),
        .taken(taken_0[i*W+:W]), .fits(fits_0), .port(port_0)
    );

    // Answers: of the nodes' links and of level 0 by node, of level 1 by P0. Each is written in one step, and 0 before.
    logic [W-1:0] has_nodes, has_p0, has_p1;
    logic [W*P-1:0] p0s, p1s;
    wire [P-1:0] answer_p0 = p0s[P-1:0];
    wire in_switch = steps_of[2*P-1:0] == '1;
    wire in_subtree = steps_of[2*P-1:P] == '1;
    assign p0[i*P+:P] = answer_p0;
    assign p1[i*P+:P] = p1s[answer_p0*P+:P];
    assign turn[i*2+:2] = in_switch ? 2'd0 : in_subtree ? 2'd1 : 2'd2;
    assign granted[i] = has_nodes[0] && (in_switch || (has_p0[0] && (in_subtree || has_p1[answer_p0])));

    always_ff @(posedge clk) begin
      if (load || answers) begin
        valids <= {valid[i] && source_free[0], valids[W-1:1]};
        steps_of <= {high - FirstHigh, low - FirstLow, steps_of[W*2*P-1:2*P]};
        links <= {link, links[W*P-1:P]};
        source_free <= {source_free[0] && !has_nodes[0], source_free[W-1:1]};
      end
      for (int k = 0; k < W; k++) begin
        match[k] <= valids[k] && in_steps && steps_of[k*2*P+:2*P] == t[2*P-1:0];
        for (int j = 0; j < k; j++) same_link[k*W+j] <= links[k*P+:P] == links[j*P+:P];
      end
      first <= is_first;
      any <= any_to;
      for (int k = 0; k < W; k++) fits_nodes[k] <= first[k] && nodes_free[links[k*P+:P]];
      if (steps[2]) nodes_free <= ends[2] ? nodes_left[NextEnd*W+:W] : nodes_left[Next*W+:W];

      has_nodes <= answers ? has_nodes >> 1 : has_nodes | fits_nodes;
      has_p0 <= answers ? has_p0 >> 1 : has_p0 | fits_0;
      p0s <= answers ? p0s >> P : p0s | port_0;
      has_p1 <= load ? '0 : has_p1 | fits_1[i*W+:W];
      p1s <= load ? '0 : p1s | port_1[i*W*P+:W*P];
      if (clear) begin
        source_free <= '1;
        nodes_free <= '1;
        has_nodes <= '0;
        has_p0 <= '0;
        p0s <= '0;
        match <= '0;
        first <= '0;
        fits_nodes <= '0;
      end
    end
  end

  // Level 1: the requests of a subtree that have P0 = p, at most one of each switch.
  for (genvar i = 0; i < M; i++) begin : g_level_1
    localparam int H = i / W;
    localparam int NextEnd = (i + W) % M;
    wire [W-1:0] want, fits;
    wire [W*P-1:0] port;
    for (genvar l = 0; l < W; l++) begin : g_request
      localparam int Of = (H * W + l) * W + i % W;
      assign want[l] = taken_0[Of];
      always_ff @(posedge clk) begin  // no step waits for it
        fits_1[Of] <= fits[l];
        port_1[Of*P+:P] <= port[l*P+:P];
      end
    end
    level_wise_cell #(.W(W)) level_1 (
        .clk(clk), .clear(clear), .skip(same_subtree[5]), .want(want), .step(steps[6]),
        .down_left(down_left_1[i*W+:W]), .down_next(ends[6] ? down_left_1[NextEnd*W+:W] : down_left_1[i*W+:W]),
        .taken(), .fits(fits), .port(port)
    );
  end
endmodule
