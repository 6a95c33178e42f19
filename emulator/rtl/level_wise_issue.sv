// The queues before the two engines of the level-wise scheduler, and the choice of what they issue. Input h has the
// requests of the sources whose uppermost bit is h, for engine h. Each has one queue of DEPTH requests by the uppermost
// bit of the destination. In a clock the engines issue from the queues (0, 0) and (1, 1), or with `crossed` from (0, 1)
// and (1, 0): the two requests have neither source side nor destination side in common.
//
// Choice: every queue of the pair issues, also one alone. If the other pair has more queues that are not empty, it is the
// next one; a clock without requests comes before it, unless the last clock had none. So between requests with
// different `crossed` there is a clock without requests. A pair waits as long as the other one issues two requests a
// clock.
//
// Interface: a request is taken in a clock with `valid` and `ready`; `ready` is 0 while one of the input's queues is
// full. `issue_valid` with the requests of a clock; the node numbers are without the uppermost bits. `reset` empties the
// queues.
module level_wise_issue #(
    parameter int S = 5,  // bits of a node number, without the uppermost one
    parameter int DEPTH = 32  // a power of 2
) (
    input  logic           clk,
    input  logic           reset,
    output logic [    1:0] ready,
    input  logic [    1:0] valid,
    input  logic [2*S-1:0] source,
    input  logic [    1:0] side,  // the uppermost bit of the destination
    input  logic [2*S-1:0] destination,
    output logic           crossed,
    output logic [    1:0] issue_valid,
    output logic [2*S-1:0] issue_source,
    output logic [2*S-1:0] issue_destination
);
  wire [1:0] full;
  wire [3:0] empty;  // bit 2 h + d
  logic pair;  // the crossed one
  logic pause;
  wire [1:0] straight_has = ~{empty[3], empty[0]}, crossed_has = ~{empty[2], empty[1]};
  wire [1:0] has = pair ? crossed_has : straight_has;
  wire [1:0] other_has = pair ? straight_has : crossed_has;
  wire changes = !pause && ((other_has == 2'b11 && has != 2'b11) || (other_has != 2'b00 && has == 2'b00));
  logic read_crossed;
  logic [1:0] read_valid;
  always_ff @(posedge clk) begin
    pair <= !reset && (pair ^ changes);
    pause <= changes && has != 2'b00;
    read_crossed <= pair;
    read_valid <= reset || pause ? 2'b00 : has;
    crossed <= read_crossed;
    issue_valid <= reset ? 2'b00 : read_valid;
  end
  for (genvar h = 0; h < 2; h++) begin : g_input
    assign ready[h] = !full[h] && !reset;
    level_wise_queues #(
        .DEPTH(DEPTH), .WIDTH(2*S)
    ) queues (
        .clk(clk), .reset(reset), .push(valid[h] && !full[h]), .destination(side[h]),
        .in({source[h*S+:S], destination[h*S+:S]}), .pull(!pause), .source(pair ^ 1'(h)),
        .out({issue_source[h*S+:S], issue_destination[h*S+:S]}), .full(full[h]), .empty(empty[2*h+:2])
    );
  end
endmodule
