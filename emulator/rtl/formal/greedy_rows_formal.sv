// greedy_rows.sv with K = 2 makes the passes of greedy_pass.sv. PROPERTY selects one:
//   0 pass: one pass over arbitrary memories, and what it writes back. The model has the rows as they are read; each row
//     that is reported is taken at once
//   1 commands: the passes in every sequence of commands from the reset on, the first of which clears
module greedy_rows_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0,
    localparam int M = N * N,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic valid,
    input logic [2:0] op,
    input logic s,
    input logic [P-1:0] u,
    input logic [P-1:0] v,
    input logic row_ready
);
  localparam logic [2:0] Clear = 0, Request = 1, Withdraw = 2, Hold = 3, Drop = 4, Pass = 5;
  logic started = 0, cleared = 0, passes = 0;
  wire ready, row_valid, row_releases, row_establishes;
  wire [P-1:0] row_input, row_released, row_established;
  greedy_rows #(.N(N), .K(2)) rows (
      .clk(clk), .reset(!started), .valid(valid), .ready(ready), .op(op), .slot(s), .u(u), .v(v), .row_valid(row_valid),
      .row_ready(row_ready), .row_input(row_input), .row_releases(row_releases), .row_released(row_released),
      .row_establishes(row_establishes), .row_established(row_established)
  );
  // Signals of the design, by name.
  (* hierconn *) wire [N-1:0] \rows.r , \rows.b_star , \rows.slot_outputs ;
  (* hierconn *) wire [N-1:0] \rows.next_r , \rows.next_b_star , \rows.next_outputs ;
  (* hierconn *) wire [P:0] \rows.h , \rows.next_h ;
  (* hierconn *) wire \rows.write , \rows.write_outputs ;

  // The pass of property 0: priority, rows before and after it, and the row under way.
  logic [P-1:0] a, b, row;
  logic [M-1:0] old_r, old_b_star, old_slot, new_r, new_b_star, new_slot;
  logic [N-1:0] old_outputs, new_outputs, outputs_before, outputs_after;
  logic first, one_each;
  function automatic logic [N-1:0] bits(input logic [P:0] h);
    for (int i = 0; i < N; i++) bits[i] = h[P] && 32'(h[P-1:0]) == i;
  endfunction
  always_ff @(posedge clk) begin
    if (valid && ready) begin
      a <= u;
      b <= v;
      row <= u;
      first <= 1;
    end
    if (passes && \rows.write ) begin
      row <= 32'(row) == N - 1 ? '0 : row + 1'b1;
      first <= 0;
      if (first) old_outputs <= \rows.slot_outputs ;
      for (int i = 0; i < N; i++)
        if (32'(row) == i) begin
          old_r[i*N+:N] <= \rows.r ;
          old_b_star[i*N+:N] <= \rows.b_star ;
          old_slot[i*N+:N] <= bits(\rows.h );
          new_r[i*N+:N] <= \rows.next_r ;
          new_b_star[i*N+:N] <= \rows.next_b_star ;
          new_slot[i*N+:N] <= bits(\rows.next_h );
        end
    end
    if (\rows.write_outputs ) new_outputs <= \rows.next_outputs ;
  end
  always_comb begin
    one_each = 1;
    outputs_before = '0;
    outputs_after = '0;
    for (int i = 0; i < N; i++) begin
      if ((outputs_before & old_slot[i*N+:N]) != 0) one_each = 0;
      outputs_before = outputs_before | old_slot[i*N+:N];
      outputs_after = outputs_after | new_slot[i*N+:N];
    end
  end
  wire [M-1:0] pass_toggle;
  greedy_pass #(.N(N), .CELLS(0)) one_pass (
      .request(old_r), .established(old_b_star), .slot(old_slot), .a(a), .b(b), .toggle(pass_toggle)
  );

  // The model of property 1: R, the slots, and of the pass under way what it toggles and what is reported.
  logic [M-1:0] r, expected, reported, toggle, toggled, connection, input_, ports, next_slot;
  logic [M-1:0] slot_0, slot_1;
  wire [M-1:0] slot = s ? slot_1 : slot_0, b_star = slot_0 | slot_1;
  greedy_pass #(.N(N), .CELLS(0)) pass (.request(r), .established(b_star), .slot(slot), .a(u), .b(v), .toggle(toggle));
  always_comb begin
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) begin
        connection[i*N+j] = 32'(u) == i && 32'(v) == j;
        input_[i*N+j] = 32'(u) == i;
        ports[i*N+j] = 32'(u) == i || 32'(v) == j;
        toggled[i*N+j] = 32'(row_input) == i && ((row_releases && 32'(row_released) == j) ||
                                                 (row_establishes && 32'(row_established) == j));
      end
    next_slot = op == Hold ? slot | connection : op == Drop ? slot & ~input_ : op == Pass ? slot ^ toggle : slot;
  end
  wire takes = valid && ready;
  always_ff @(posedge clk) begin
    started <= 1;
    if (row_valid && row_ready) reported <= reported ^ toggled;
    if (takes) begin
      cleared <= 1;
      passes <= op == Pass;
      r <= op == Clear ? '0 : op == Request ? r | connection : op == Withdraw ? r & ~connection : r;
      slot_0 <= op == Clear ? '0 : s ? slot_0 : next_slot;
      slot_1 <= op == Clear ? '0 : s ? next_slot : slot_1;
      expected <= toggle;
      reported <= '0;
    end
  end
  wire ends = started && passes && ready;
  always_comb begin
    assume (32'(u) < N && 32'(v) < N && op <= Pass);
    if (PROPERTY == 0) begin
      assume (valid == !passes && op == Pass && row_ready);
      assume (!\rows.h [P] || 32'(\rows.h [P-1:0]) < N);
      if (ends) assume (one_each && (old_slot & ~old_b_star) == 0 && outputs_before == old_outputs);
      if (ends)
        assert (reported == pass_toggle && new_r == old_r && new_slot == (old_slot ^ pass_toggle) &&
                new_b_star == (old_b_star ^ pass_toggle) && new_outputs == outputs_after);
    end
    if (PROPERTY == 1) begin
      assume (cleared ? op != Clear : op == Clear);
      if (takes && op == Hold) assume ((slot & ports) == 0 && (b_star & connection) == 0);
      if (ends) assert (reported == expected);
    end
  end
endmodule
