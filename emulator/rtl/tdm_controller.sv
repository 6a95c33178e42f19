// The TDM cycle controllers of D chapter 4. MODE selects the figure:
//   0  a counter (4.4): all slots take turns, empty or not
//   1  SES (4.6): empty slots take no time
//   2  SLA (4.8): SES, and S_W has a length of its own
//   3  PREEMPT (4.10): SES while predictive traffic exists, else only S_W
// Slots 0 to K-1 are predictive, slot K is S_W, the wormhole slot, if there is one. The next slot is chosen in the last clock of a slot.
// Unlike the figures' counter, the choice among the E_i is one priority selector: skipping takes no clock.
module tdm_controller #(
    parameter int K = 4,
    parameter int MODE = 1,
    parameter int LENGTH = 8,  // bits of a length
    parameter bit WORMHOLE_SLOT = 1,
    localparam int S = $clog2(K + 1)
) (
    input  logic              clk,
    input  logic              reset,
    input  logic [     K-1:0] occupied,  // E_i: slot i holds a connection
    input  logic              worms,     // wormhole traffic is buffered
    input  logic              wanted,    // R_valid: predictive traffic exists (MODE 3)
    input  logic [LENGTH-1:0] num_p,     // length of a predictive slot in clocks, at least 1
    input  logic [LENGTH-1:0] num_w,     // length of S_W (MODE 2)
    output logic              begins,    // a slot, or an idle time, begins in this clock
    output logic              idle,      // no slot needs time
    output logic [     S-1:0] slot       // if not idle
);
  localparam logic [S-1:0] Wormhole = S'(K);
  localparam logic [S-1:0] Last = WORMHOLE_SLOT ? S'(K) : S'(K - 1);

  logic [S-1:0] previous;
  logic [LENGTH-1:0] left;  // clocks after this one
  logic [K-1:0] later;  // occupied slots after the previous one
  logic next_idle;
  logic [S-1:0] next, first, first_later;
  always_comb begin
    first = Wormhole;
    first_later = Wormhole;
    for (int i = K - 1; i >= 0; i--) begin
      later[i] = occupied[i] && S'(i) > previous;
      if (occupied[i]) first = S'(i);
      if (later[i]) first_later = S'(i);
    end
    next_idle = 0;
    if (MODE == 0) next = previous >= Last ? '0 : previous + 1'b1;
    else if (MODE == 3 && !wanted) next = Wormhole;
    else if (later != 0) next = first_later;
    else if (worms && previous != Wormhole) next = Wormhole;
    else begin
      next = first;
      next_idle = occupied == 0 && !worms;
    end
  end

  always_ff @(posedge clk) begin
    begins <= 0;
    left   <= left - 1'b1;
    if (reset || left == 0) begin
      begins <= !reset;
      idle <= next_idle;
      if (!next_idle) begin
        slot <= next;
        previous <= next;
      end
      left <= (MODE == 2 && !next_idle && next == Wormhole ? num_w : num_p) - 1'b1;
    end
    if (reset) begin
      previous <= Wormhole;
      left <= '0;
    end
  end
endmodule
