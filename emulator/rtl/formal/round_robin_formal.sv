// Bounded waiting of wormhole_scheduler.sv, for every sequence of requests, releases and passes, by induction. PROPERTY
// selects one:
//   0 pointer: of N passes in which a request waits and both its ports are free, one grants it or gives its input another
//     output; counted from the last pass that finds the input in use
//   1 order: of N successive passes in which a request waits and both its ports are free, one gives its output to the first
//     free requester from the output's pointer
// For N > 2 a request (u,v) can wait for ever, although both ports are free in each pass: v serves the input before u; in
// the next pass another output serves u first, then v the input after u, which moves the pointer past u. D 8.3.4 and 8.4.1
// leave open how outputs compete for an input (emulator/network/wormhole_scheduler.h).
//
// 0: each pass that is counted moves the output's pointer towards the input, and no other pass between them moves it:
// passes + distance from the pointer to the input <= N - 1. 1: each pass moves p: passes + distance from p to the
// output <= N - 1.
module round_robin_formal #(
    parameter int N = 4,
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic [N*N-1:0] request,
    input logic [N-1:0] release_inputs,
    input logic [N-1:0] release_outputs,
    input logic pass,
    input logic [P-1:0] any_input,
    input logic [P-1:0] any_output
);
  logic started = 0;
  logic [P-1:0] u, v;  // the watched request
  wire [N*N-1:0] requests, grant;
  wormhole_scheduler #(.N(N)) scheduler (
      .clk(clk), .reset(!started), .request(request), .release_inputs(release_inputs), .release_outputs(release_outputs),
      .pass(pass), .requests(requests), .grant(grant)
  );
  // Registers of the scheduler, by name.
  (* hierconn *) wire [N*P-1:0] \scheduler.pointer ;
  (* hierconn *) wire [N-1:0] \scheduler.busy_inputs ;
  (* hierconn *) wire [N-1:0] \scheduler.busy_outputs ;
  (* hierconn *) wire [P-1:0] \scheduler.p ;

  wire waits = requests[u*N+v] || request[u*N+v];
  wire input_free = !\scheduler.busy_inputs [u] || release_inputs[u];
  wire output_free = !\scheduler.busy_outputs [v] || release_outputs[v];
  logic passed = 0, open = 0;  // the last clock had a pass; the request waited in it, with free ports
  logic [P:0] passes = 0, successive = 0, waited = 0;
  wire [N-1:0] granted = grant[u*N+:N];
  wire [P:0] passes_now = !passed ? passes : open && granted == 0 ? passes + 1'b1 : granted != 0 ? '0 : passes;
  wire [P:0] waited_now = !passed ? waited : granted[v] ? '0 : open ? waited + 1'b1 : waited;
  wire [P-1:0] pointer = \scheduler.pointer [v*P+:P];
  wire [P:0] distance = {1'b0, u} + (u < pointer ? (P + 1)'(N) : '0) - {1'b0, pointer};

  logic [N-1:0] column, from_pointer, in_turn, last_in_turn, given;  // inputs that v may serve, is to serve, has served
  always_comb begin
    for (int i = 0; i < N; i++) begin
      column[i] = (requests[i*N+v] || request[i*N+v]) && (!\scheduler.busy_inputs [i] || release_inputs[i]);
      from_pointer[i] = column[i] && i >= 32'(pointer);
      given[i] = grant[i*N+v];
    end
    in_turn = from_pointer != 0 ? from_pointer & (~from_pointer + 1'b1) : column & (~column + 1'b1);
  end
  wire [P:0] successive_now = !passed ? successive : open && given != last_in_turn ? successive + 1'b1 : '0;
  wire [P:0] turns = {1'b0, v} + (v < \scheduler.p ? (P + 1)'(N) : '0) - {1'b0, \scheduler.p };

  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) begin
      u <= any_input;
      v <= any_output;
    end
    passed <= started && pass;
    open <= started && pass && waits && input_free && output_free;
    last_in_turn <= in_turn;
    successive <= successive_now;
    passes <= pass && !(waits && input_free) ? '0 : passes_now;
    waited <= pass && !(waits && input_free) ? '0 : waited_now;
  end
  wire [N-1:0] row = requests[u*N+:N] | request[u*N+:N];
  always_comb begin
    assume ({1'b0, any_input} < (P + 1)'(N) && {1'b0, any_output} < (P + 1)'(N));
    if (PROPERTY == 2 && started) assume ((row & (row - 1'b1)) == 0);
    if (started) begin
      // The first three: of all reachable states, for the induction.
      assert ({1'b0, u} < (P + 1)'(N) && {1'b0, v} < (P + 1)'(N) && {1'b0, \scheduler.p } < (P + 1)'(N));
      assert ({1'b0, pointer} < (P + 1)'(N));
      if (PROPERTY == 0) assert ({1'b0, passes_now} + {1'b0, distance} <= (P + 2)'(N - 1));
      if (PROPERTY == 2) assert ({1'b0, waited_now} + {1'b0, distance} <= (P + 2)'(N - 1));
      if (PROPERTY == 1) assert (successive_now == 0 || {1'b0, successive_now} + {1'b0, turns} <= (P + 2)'(N - 1));
    end
  end
endmodule
