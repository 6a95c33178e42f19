// A whole scheduler of a fat tree never gives two granted requests one link, for every sequence of requests from the clear
// on. A model watches one arbitrary link of any kind. PROPERTY selects the scheduler:
//   0 level_wise.sv with one engine
//   1 level_wise_array.sv
module level_wise_tree_formal #(
    parameter int N = 4,  // W
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N),
    localparam int M = N * N
) (
    input logic clk,
    input logic [M-1:0] valid,
    input logic [M*3*P-1:0] destination,
    input logic [3*P-1:0] source,
    input logic [2:0] any_kind,
    input logic [3*P-1:0] any_link
);
  logic [2:0] clears = 0;  // clocks of `clear`: until the pipeline is empty
  logic started = 0;
  logic [2:0] kind;
  logic [3*P-1:0] link;
  // The answers of this clock, with the nodes of their requests.
  localparam int A = PROPERTY == 0 ? 1 : M;
  logic [A-1:0] granted;
  logic [A*2-1:0] turn;
  logic [A*P-1:0] p0, p1;
  logic [A*3*P-1:0] sources, destinations;
  if (PROPERTY == 0) begin : g_pipeline
    localparam int Clocks = 9;
    wire ready, answer_valid, fits;
    logic [Clocks*6*P-1:0] nodes;
    level_wise #(.W(N)) scheduler (
        .clk(clk), .clear(!started), .ready(ready), .crossed(1'b0), .valid(valid[0]), .source(source),
        .destination(destination[3*P-1:0]), .answer_crossed(), .answer_valid(answer_valid), .granted(fits), .turn(turn),
        .p0(p0), .p1(p1)
    );
    assign granted = ready && answer_valid && fits;
    assign {sources, destinations} = nodes[(Clocks-1)*6*P+:6*P];
    always_ff @(posedge clk) nodes <= {nodes[(Clocks-1)*6*P-1:0], source, destination[3*P-1:0]};
  end else begin : g_array
    wire ready, answers;
    wire [M-1:0] fits;
    logic [P-1:0] loads, answered;  // of the requests of one node of each switch
    logic [N*M*3*P-1:0] nodes;
    level_wise_array #(.W(N)) scheduler (
        .clk(clk), .clear(!started), .ready(ready), .load(started && ready), .valid(valid), .destination(destination),
        .answers(answers), .granted(fits), .turn(turn), .p0(p0), .p1(p1)
    );
    assign granted = answers ? fits : '0;
    assign destinations = nodes[0+:M*3*P];
    always_comb for (int i = 0; i < M; i++) sources[i*3*P+:3*P] = {(2 * P)'(i), answered};
    always_ff @(posedge clk) begin
      answered <= !started ? '0 : answered + P'(answers);
      if (ready || answers) nodes <= {destination, nodes[N*M*3*P-1:M*3*P]};
    end
  end

  logic taken = 0;
  logic [A-1:0] takes;
  logic [3*P-1:0] s, d, used;
  always_comb
    for (int i = 0; i < A; i++) begin
      s = sources[i*3*P+:3*P];
      d = destinations[i*3*P+:3*P];
      case (kind)
        0: used = s;
        1: used = d;
        2: used = {s[3*P-1:P], p0[i*P+:P]};
        3: used = {d[3*P-1:P], p0[i*P+:P]};
        4: used = {s[3*P-1:2*P], p0[i*P+:P], p1[i*P+:P]};
        default: used = {d[3*P-1:2*P], p0[i*P+:P], p1[i*P+:P]};
      endcase
      takes[i] = granted[i] && 32'(turn[i*2+:2]) >= 32'(kind[2:1]) && used == link;
    end
  always_ff @(posedge clk) begin
    clears <= clears + 1'b1;
    if (PROPERTY == 0 || clears == '1) started <= 1;
    if (!started) kind <= any_kind;
    if (!started) link <= any_link;
    if (started && takes != 0) taken <= 1;
  end
  always_comb begin
    assume (any_kind < 6);
    if (started) assert ((takes & (takes - 1'b1)) == 0 && !(takes != 0 && taken));
  end
endmodule
