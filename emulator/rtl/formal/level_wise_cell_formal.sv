// Properties of level_wise_cell.sv after the links are cleared, for every sequence of requests and rows of the
// destinations' side, with a step in each clock. PROPERTY selects one:
//   0 links: no link of the source's switch is taken twice, and none that is not free at the destination's switch
//   1 requests: the links taken are those of the requests that fit, one each, and none fits after one that does not
module level_wise_cell_formal #(
    parameter int N = 4,  // W
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [N-1:0] want,
    input logic [N-1:0] any_down
);
  localparam logic [N-1:0] One = 1;
  logic started = 0;
  wire [N-1:0] down_left, taken, fits;
  wire [N*P-1:0] port;
  logic [N-1:0] already = '0;  // taken before
  logic [N-1:0] want_1, want_2, down, down_2;  // of the requests in clock 2
  level_wise_cell #(.W(N)) cell_ (
      .clk(clk), .clear(!started), .skip(!started), .want(want), .step(started), .down_left(down_left),
      .down_next(any_down), .taken(taken), .fits(fits), .port(port)
  );
  logic [1:0] clocks = 0;  // since the clear
  logic [N-1:0] links;
  logic one_each, in_order;
  always_comb begin
    links = '0;
    one_each = 1;
    in_order = 1;
    for (int i = 0; i < N; i++) begin
      if (fits[i] && (links & (One << port[i*P+:P])) != 0) one_each = 0;
      if (fits[i]) links = links | (One << port[i*P+:P]);
      for (int j = 0; j < i; j++) if (want_2[j] && !fits[j] && fits[i]) in_order = 0;
    end
  end
  always_ff @(posedge clk) begin
    started <= 1;
    if (clocks != 3) clocks <= clocks + 2'(started);
    want_1 <= want;
    want_2 <= want_1;
    down <= started ? any_down : '1;
    down_2 <= down;
    if (clocks >= 2) already <= already | taken;
  end
  always_comb begin
    if (clocks >= 2 && PROPERTY == 0) assert ((taken & already) == 0 && (taken & ~down_2) == 0);
    if (clocks == 3 && PROPERTY == 1) assert (links == taken && one_each && in_order && (fits & ~want_2) == 0);
  end
endmodule
