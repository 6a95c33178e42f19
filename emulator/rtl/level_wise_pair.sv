// The level-wise scheduler with two engines: two requests a clock, one of each half of the sources. level_wise_issue.sv
// orders the requests, level_wise.sv with two engines schedules them: the grants and paths are those of `level-wise`
// for the requests in the order of the answers. A permutation of N nodes takes little more than N / 2 clocks.
//
// Interface: input h has the requests of the sources whose uppermost bit is h. A request is taken in a clock with `valid`
// and `ready`. Its answer has its `answer_source`, at the same h. The answers of the requests of one half of the sources
// to one half of the destinations are in order; `answer_crossed` is 1 if the destinations are in the other half than the
// sources. The earliest answer comes 12 clocks after its request. `clear` starts an empty tree and drops what is queued:
// `ready` is 0 for W^2 / 2 + 2 clocks.
module level_wise_pair #(
    parameter int W = 4,  // 4, 8 or 16
    localparam int P = $clog2(W),
    localparam int S = 3 * P - 1
) (
    input  logic               clk,
    input  logic               clear,
    output logic [        1:0] ready,
    input  logic [        1:0] valid,
    input  logic [    2*S-1:0] source,  // without the uppermost bit
    input  logic [2*(S+1)-1:0] destination,
    output logic               answer_crossed,
    output logic [        1:0] answer_valid,
    output logic [    2*S-1:0] answer_source,
    output logic [        1:0] granted,
    output logic [        3:0] turn,
    output logic [    2*P-1:0] p0,
    output logic [    2*P-1:0] p1
);
  localparam int Latency = 9;  // of level_wise.sv
  localparam int Half = W * W * W / 2;
  wire cleared, crossed;
  logic reset;
  always_ff @(posedge clk) reset <= clear || !cleared;
  wire [1:0] issue_valid;
  wire [2*S-1:0] issue_source, issue_destination;
  level_wise_issue #(
      .S(S), .DEPTH(Half < 256 ? Half : 256)
  ) issue (
      .clk(clk), .reset(reset), .ready(ready), .valid(valid), .source(source),
      .side({destination[2*S+1], destination[S]}), .destination({destination[S+1+:S], destination[0+:S]}),
      .crossed(crossed), .issue_valid(issue_valid), .issue_source(issue_source), .issue_destination(issue_destination)
  );
  level_wise #(
      .W(W), .ENGINES(2)
  ) engines (
      .clk(clk), .clear(clear), .ready(cleared), .crossed(crossed), .valid(issue_valid), .source(issue_source),
      .destination(issue_destination), .answer_crossed(answer_crossed), .answer_valid(answer_valid), .granted(granted),
      .turn(turn), .p0(p0), .p1(p1)
  );
  // The sources, beside the pipeline.
  logic [2*S-1:0] sources[Latency];
  assign answer_source = sources[Latency-1];
  always_ff @(posedge clk)
    for (int i = 0; i < Latency; i++) sources[i] <= i == 0 ? issue_source : sources[i-1];
endmodule
