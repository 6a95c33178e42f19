// A cell of level_wise_array.sv: the links of one switch of the sources' side and one of the destinations' side, for up
// to W requests a step: the first of `want` takes the lowest link that is free in both, the next one the lowest link that
// is left, and so on. Those for which no link is left take nothing.
//
//   clock 0  count  `want`; with `skip` no request takes a link
//   clock 1  take   if `step`. The row of the destinations' side, without what was taken, goes on to another cell,
//                   `down_left`; this cell gets the row `down_next`
//   clock 2  port   `fits` and `port` of each request. `taken`: the links
module level_wise_cell #(
    parameter int W = 4,
    localparam int P = $clog2(W)
) (
    input  logic           clk,
    input  logic           clear,  // all links are free
    input  logic           skip,
    input  logic [  W-1:0] want,
    input  logic           step,
    output logic [  W-1:0] down_left,
    input  logic [  W-1:0] down_next,
    output logic [  W-1:0] taken,
    output logic [  W-1:0] fits,
    output logic [W*P-1:0] port
);
  // Numbers without carry chains: bit k of `reaches` is 1 if there are more than k requests; bit k of `places` of a
  // request if k requests come before it.
  logic [W-1:0] reaches, count;
  logic [W*W-1:0] places, rank_of, places_1;
  logic [W:0] rank;
  always_comb begin
    rank = 1;
    count = '0;
    rank_of = '0;
    for (int i = 0; i < W; i++) begin
      rank_of[i*W+:W] = want[i] ? rank[W-1:0] : '0;
      if (want[i]) begin
        rank  = rank << 1;
        count = (count << 1) | W'(1);
      end
    end
  end

  logic [W-1:0] up, down, free_1, takes, below;
  wire [W-1:0] free = up & down;
  always_comb begin
    // As many of the free links as there are requests.
    below = reaches;
    for (int p = 0; p < W; p++) begin
      takes[p] = free[p] && below[0];
      if (free[p]) below = below >> 1;
    end
  end
  assign down_left = down & ~takes;

  // The number of the k-th free link.
  logic [W-1:0] exists;
  logic [W*P-1:0] number;
  logic [W:0] link_rank;
  always_comb begin
    link_rank = 1;
    exists = '0;
    number = '0;
    for (int p = 0; p < W; p++)
      if (free_1[p]) begin
        for (int k = 0; k < W; k++) if (link_rank[k]) number[k*P+:P] = number[k*P+:P] | P'(p);
        exists = exists | link_rank[W-1:0];
        link_rank = link_rank << 1;
      end
    fits = '0;
    port = '0;
    for (int i = 0; i < W; i++)
      for (int k = 0; k < W; k++)
        if (places_1[i*W+k]) begin
          fits[i] = exists[k];
          port[i*P+:P] = port[i*P+:P] | number[k*P+:P];
        end
  end

  always_ff @(posedge clk) begin
    reaches <= count;
    places <= rank_of;
    if (skip) begin
      reaches <= '0;
      places <= '0;
    end
    free_1 <= free;
    taken <= takes;
    places_1 <= places;
    if (step) begin
      up <= up & ~takes;
      down <= down_next;
    end
    if (clear) begin
      up <= '1;
      down <= '1;
    end
  end
endmodule
