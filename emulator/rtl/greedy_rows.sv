// The greedy scheduler in rows: the same passes as greedy_pass.sv with one row of cells, which visits one input a
// clock, and with R, B* and the K slots in block RAM (D 5.3). N + 1 clocks a pass instead of 2 N - 1 cells in a row.
//
// Commands, taken when `valid` and `ready`:
//   op 0 clear           empties R and all slots; the memories start undefined
//   op 1 request u, v    R(u,v) := 1
//   op 2 withdraw u, v   R(u,v) := 0
//   op 3 hold s, u, v    adds (u,v) to slot s. Precondition: both ports are free there, and no slot holds (u,v)
//   op 4 drop s, u       removes what input u holds in slot s
//   op 5 pass s, u, v    one pass over slot s with priority a = u, b = v
// A pass reports each row with a change, in the order of the priority, as `row_valid` until `row_ready`. `ready` is 1
// again after its last row.
module greedy_rows #(
    parameter int N = 8,
    parameter int K = 4,
    localparam int P = N > 1 ? $clog2(N) : 1,
    localparam int S = K > 1 ? $clog2(K) : 1
) (
    input  logic         clk,
    input  logic         reset,
    // Command
    input  logic         valid,
    output logic         ready,
    input  logic [  2:0] op,
    input  logic [S-1:0] slot,
    input  logic [P-1:0] u,
    input  logic [P-1:0] v,
    // Changed row of a pass
    output logic         row_valid,
    input  logic         row_ready,
    output logic [P-1:0] row_input,
    output logic         row_releases,
    output logic [P-1:0] row_released,
    output logic         row_establishes,
    output logic [P-1:0] row_established
);
  localparam logic [2:0] Clear = 0, Request = 1, Withdraw = 2, Hold = 3, Drop = 4, Pass = 5;
  localparam logic [N-1:0] One = 1;
  localparam logic [1:0] Idle = 0, Empty = 1, Change = 2, Sweep = 3;

  logic [1:0] state;
  logic [2:0] kind;
  logic [S-1:0] s;
  logic [P-1:0] row, to;  // the row at the memories' outputs; v or b
  logic [P:0] left;              // rows of the pass after this one
  logic [S+P-1:0] emptied;

  // The memories: one write and one read a clock, the read value is there in the next clock.
  logic [N-1:0] requests[N], established[N], outputs[K];
  logic [P:0] held[2**(S+P)];  // {in use, output}
  logic [N-1:0] r, b_star, slot_outputs, next_r, next_b_star, next_outputs;
  logic [P:0] h, next_h;
  logic write, write_outputs;
  logic [P-1:0] read_row;
  logic [S-1:0] read_slot;
  wire [P-1:0] write_row = state == Empty ? P'(emptied) : row;
  wire [S+P-1:0] write_held = state == Empty ? emptied : {s, row};
  wire [S-1:0] write_slot = state == Empty ? emptied[S+P-1:P] : s;
  always_ff @(posedge clk) begin
    if (write) begin
      requests[write_row] <= next_r;
      established[write_row] <= next_b_star;
      held[write_held] <= next_h;
    end
    if (write_outputs) outputs[write_slot] <= next_outputs;
    r <= requests[read_row];
    b_star <= established[read_row];
    h <= held[{read_slot, read_row}];
    slot_outputs <= outputs[read_slot];
  end

  // The row: pre-scheduling (Table 5.1), then the cells from b to b - 1.
  logic [N-1:0] in_use;  // A: outputs in use at the wave
  logic first_row;
  wire [N-1:0] a_in = first_row ? slot_outputs : in_use;
  wire holds = h[P];
  wire [N-1:0] held_bit = holds ? One << h[P-1:0] : '0;
  wire releases = holds && (r & held_bit) == 0;
  wire [N-1:0] after_held = ~(held_bit | (held_bit - 1'b1));
  wire [N-1:0] from_b = ~((One << to) - 1'b1);
  wire [N-1:0] open = r & ~b_star & ~a_in;
  logic [N-1:0] early, late, may, chosen;
  logic [P-1:0] chosen_output;
  always_comb begin
    early = open & from_b;
    late = open & ~from_b;
    if (holds && h[P-1:0] >= to) early = early & after_held;
    else if (holds) begin
      early = '0;
      late = late & after_held;
    end
    may = early != 0 ? early : late;
    if (holds && !releases) may = '0;
    chosen = may & (~may + 1'b1);
    chosen_output = '0;
    for (int i = 0; i < N; i++) if (chosen[i]) chosen_output = chosen_output | P'(i);
  end
  wire establishes = chosen != 0;
  wire [N-1:0] freed = releases ? held_bit : '0;
  wire [N-1:0] a_out = (a_in & ~freed) | chosen;

  assign row_valid = state == Sweep && (releases || establishes);
  assign row_input = row;
  assign row_releases = releases;
  assign row_released = h[P-1:0];
  assign row_establishes = establishes;
  assign row_established = chosen_output;
  wire step = state == Sweep && (!row_valid || row_ready);

  assign ready = state == Idle && !reset;
  wire [N-1:0] to_bit = One << to;
  wire [P-1:0] next_row = {1'b0, row} == (P + 1)'(N - 1) ? '0 : row + 1'b1;
  always_comb begin
    read_row = state == Idle ? u : step ? next_row : row;
    read_slot = state == Idle ? slot : s;
    write = step;
    write_outputs = step && left == 0;
    next_r = r;
    next_b_star = (b_star & ~freed) | chosen;
    next_h = establishes ? {1'b1, chosen_output} : releases ? '0 : h;
    next_outputs = a_out;
    if (state == Empty) begin
      write = 1;
      write_outputs = 1;
      next_r = '0;
      next_b_star = '0;
      next_h = '0;
      next_outputs = '0;
    end
    if (state == Change) begin
      write = 1;
      write_outputs = kind == Hold || kind == Drop;
      next_r = kind == Request ? r | to_bit : kind == Withdraw ? r & ~to_bit : r;
      next_b_star = kind == Hold ? b_star | to_bit : kind == Drop ? b_star & ~held_bit : b_star;
      next_h = kind == Hold ? {1'b1, to} : kind == Drop ? '0 : h;
      next_outputs = kind == Hold ? slot_outputs | to_bit : slot_outputs & ~held_bit;
    end
  end

  always_ff @(posedge clk) begin
    case (state)
      Idle: begin
        kind <= op;
        s <= slot;
        row <= u;
        to <= v;
        emptied <= '0;
        left <= (P + 1)'(N - 1);
        first_row <= 1;
        if (valid)
          case (op)
            Clear: state <= Empty;
            Request, Withdraw, Hold, Drop: state <= Change;
            Pass: state <= Sweep;
            default: ;
          endcase
      end
      Empty: begin
        emptied <= emptied + 1'b1;
        if (&emptied) state <= Idle;
      end
      Change: state <= Idle;
      Sweep:
      if (step) begin
        row <= next_row;
        in_use <= a_out;
        first_row <= 0;
        left <= left - 1'b1;
        if (left == 0) state <= Idle;
      end
    endcase
    if (reset) state <= Idle;
  end
endmodule
