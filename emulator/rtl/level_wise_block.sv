// A block of the level-wise scheduler (L Figure 11): load reads the rows of the two switches, compute takes a link that
// is free in both, update writes the rows back. One request a clock and engine, four clocks from `valid` to `done`.
//
//   clock 0  read     the rows' addresses are at the memories
//   clock 1  load     the rows, or what a request before wrote to them
//   clock 2  compute
//   clock 3  update   the rows are written; `done`
//
// Two engines: engine e has up rows of its own, and the down rows of bank e, or with `crossed` of bank 1 - e. `crossed`
// applies to the requests of its clock and travels down the block with them, so that no bank has two requests.
//
// Hazards: the three requests before may change a row after it is read. Their results are forwarded: of the two
// that are in `update` in clocks 0 and 1 to `load`, in the bank; of the one in `update` in clock 2 to `compute`, in the
// engine. So between requests with different `crossed` there must be a clock without requests: then the request directly
// before in a bank is never one of the other engine.
//
// SELECT, `failed` and `skips`: see level_wise_engine.sv.
module level_wise_block #(
    parameter int W = 4,  // 4, 8 or 16
    parameter int CARRIED = 1,
    parameter bit SELECT = 0,
    parameter int ENGINES = 1,  // 1 or 2
    localparam int P = $clog2(W),
    localparam int R = 2 * P + 1 - ENGINES
) (
    input  logic                       clk,
    input  logic                       clearing,
    input  logic [              R-1:0] cleared,  // the row that is cleared
    input  logic                       crossed,  // 0 with one engine
    input  logic [        ENGINES-1:0] valid,
    input  logic [        ENGINES-1:0] failed,
    input  logic [        ENGINES-1:0] skips,
    input  logic [      ENGINES*R-1:0] up_row,
    input  logic [      ENGINES*R-1:0] down_row,
    input  logic [      ENGINES*P-1:0] up_link,
    input  logic [      ENGINES*P-1:0] down_link,
    input  logic [ENGINES*CARRIED-1:0] carried,
    output logic                       crossed_out,
    output logic [        ENGINES-1:0] done,
    output logic [        ENGINES-1:0] done_failed,
    output logic [      ENGINES*P-1:0] port,
    output logic [ENGINES*CARRIED-1:0] carried_out
);
  logic crossed_1, crossed_2;  // in load and compute; in update: crossed_out
  always_ff @(posedge clk) begin
    crossed_1   <= crossed;
    crossed_2   <= crossed_1;
    crossed_out <= crossed_2;
  end

  wire [ENGINES*W-1:0] up_load, down_load, up_taken, down_taken, up_left, down_left;  // by engine; down_load by bank
  wire [ENGINES-1:0] up_again, down_again, writes;
  for (genvar e = 0; e < ENGINES; e++) begin : g_engine
    localparam int O = ENGINES - 1 - e;  // the other engine, the other bank
    level_wise_rows #(
        .W(W), .ROWS(1 << R)
    ) up_rows (
        .clk(clk), .clearing(clearing), .cleared(cleared), .row(up_row[e*R+:R]), .load(up_load[e*W+:W]),
        .again(up_again[e]), .writes(writes[e]), .taken(up_taken[e*W+:W]), .written(up_left[e*W+:W])
    );
    level_wise_rows #(
        .W(W), .ROWS(1 << R)
    ) down_rows (
        .clk(clk), .clearing(clearing), .cleared(cleared), .row(crossed ? down_row[O*R+:R] : down_row[e*R+:R]),
        .load(down_load[e*W+:W]), .again(down_again[e]), .writes(crossed_out ? writes[O] : writes[e]),
        .taken(crossed_out ? down_taken[O*W+:W] : down_taken[e*W+:W]),
        .written(crossed_out ? down_left[O*W+:W] : down_left[e*W+:W])
    );
    level_wise_engine #(
        .W(W), .CARRIED(CARRIED), .SELECT(SELECT)
    ) engine (
        .clk(clk), .clearing(clearing), .valid(valid[e]), .failed(failed[e]), .skips(skips[e]),
        .up_link(up_link[e*P+:P]), .down_link(down_link[e*P+:P]), .carried(carried[e*CARRIED+:CARRIED]),
        .up_load(up_load[e*W+:W]), .down_load(crossed_1 ? down_load[O*W+:W] : down_load[e*W+:W]),
        .up_again(up_again[e]), .down_again(crossed_1 ? down_again[O] : down_again[e]), .writes(writes[e]),
        .up_taken(up_taken[e*W+:W]), .down_taken(down_taken[e*W+:W]), .up_left(up_left[e*W+:W]),
        .down_left(down_left[e*W+:W]), .done(done[e]), .done_failed(done_failed[e]), .port(port[e*P+:P]),
        .carried_out(carried_out[e*CARRIED+:CARRIED])
    );
  end
endmodule
