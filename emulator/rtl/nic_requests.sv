// The requests and releases of a NIC with the time-out predictor, and its predicted circuit switching table (D 5.2, 5.2.2;
// emulator/tdm/nic_requests.h and predictor/timeout.cpp).
//
// A message that is offered requests the connection, unless the table has it. The predictor holds the K destinations that
// were used last, each until it is not used for `timeout` clocks; use ends when the last word has left. A destination
// that is not held and has no data is released. A connection that is lost or flushed while data waits is requested again.
//
// With WORMS, no offer but only the predictor requests. Worms under way use a circuit, too, if it is in the table or
// requested then; the use ends when the last place in the switch has come back. A destination that is not held, but could
// be, is not released before that.
//
// Order within a clock: flush, offer, notices of the switch, time-outs, ends of data and of worms.
module nic_requests #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int BITS = 12,  // of `timeout`
    parameter bit WORMS = 0,
    localparam int P = $clog2(N)
) (
    input  logic            clk,
    input  logic            reset,
    input  logic [BITS-1:0] timeout,      // 1 to 2^BITS - 2
    input  logic            flush,
    input  logic            offer,        // of a message
    input  logic [   P-1:0] destination,
    input  logic            by_worms,     // the offered message travels as worms
    input  logic [   N-1:0] unsent,       // data waits for these destinations, without the offered message
    input  logic [   N-1:0] worms,        // worms are under way to these destinations, without it
    input  logic [   N-1:0] left,         // a word left the link with the end of the last clock
    input  logic [   N-1:0] lost,         // notices: released, then established
    input  logic [   N-1:0] established,
    output logic [   N-1:0] request,      // control words of this clock
    output logic [   N-1:0] release_,
    output logic [   N-1:0] in_table      // before the notices of this clock
);
  localparam logic [N-1:0] One = 1;

  logic [N-1:0] held, by_end;  // by_end: the last use is the end of data, not an offer
  logic [N-1:0] requested;     // and no notice yet
  logic [N-1:0] at_switch;     // the last control word was a request
  logic [N-1:0] releasing;     // released while in the table
  logic [N-1:0] due;           // to be released when no data waits
  logic [N-1:0] newer;         // of two that are held since the ends of a circuit's data and of worms in one clock
  logic [N-1:0] served;        // worms under way use the circuit
  logic [N-1:0] after_worms;   // with `due`: also, when no worms are under way
  logic [N*BITS-1:0] age;      // of held destinations: clocks since the last use
  logic [N*BITS-1:0] end_age;  // clocks since the last word left, up to the largest value

  // The values after the steps so far.
  logic [N-1:0] next_held, next_by_end, next_table, next_requested, next_at_switch, next_releasing, next_due;
  logic [N-1:0] next_newer, next_served, next_after_worms, under_way;
  logic [N*BITS-1:0] now_age, now_end_age;
  logic [N-1:0] offered, waits, overdue, recent, new_, released, again, back, gone, oldest, tied;
  logic [BITS-1:0] oldest_age, back_age;
  logic oldest_by_end, oldest_newer, tie;
  logic [P:0] size;  // of next_held

  always_comb begin
    now_age = age;
    for (int j = 0; j < N; j++)
      now_end_age[j*BITS+:BITS] = left[j] || (WORMS && served[j] && !worms[j]) ? '0 : end_age[j*BITS+:BITS];
    for (int j = 0; j < N; j++) recent[j] = now_end_age[j*BITS+:BITS] < timeout;

    next_held = held;
    next_by_end = by_end;
    next_table = in_table;
    next_requested = requested;
    next_at_switch = at_switch;
    next_releasing = releasing;
    next_due = due;
    next_newer = newer;
    next_served = served & worms;
    next_after_worms = after_worms;
    request = '0;
    release_ = '0;
    if (flush) begin
      next_held = '0;
      next_due = unsent;
      next_requested = unsent;
      next_at_switch = unsent;
      next_releasing = releasing & ~unsent;
      request = unsent;
      next_served = next_served | (request & worms);
    end

    // The predictor: time-outs, and the place of a destination that was not held.
    offered = offer ? One << destination : '0;
    waits = unsent | (WORMS && by_worms ? '0 : offered);
    back_age = '0;
    tied = '0;
    under_way = WORMS ? worms | (by_worms ? offered : '0) : '0;
    for (int j = 0; j < N; j++) overdue[j] = next_held[j] && !offered[j] && age[j*BITS+:BITS] >= timeout;
    new_ = offered & ~next_held;
    next_held = next_held & ~overdue;
    oldest = '0;
    oldest_age = '0;
    oldest_by_end = 0;
    oldest_newer = 0;
    for (int j = 0; j < N; j++) begin
      tie = age[j*BITS+:BITS] == oldest_age && oldest_by_end && (!by_end[j] || (WORMS && oldest_newer && !newer[j]));
      if (next_held[j] && (oldest == 0 || age[j*BITS+:BITS] > oldest_age || tie)) begin
        oldest = One << j;
        oldest_age = age[j*BITS+:BITS];
        oldest_by_end = by_end[j];
        oldest_newer = newer[j];
      end
    end
    size = '0;
    for (int j = 0; j < N; j++) size = size + (P + 1)'(next_held[j]);
    if (new_ == 0 || 32'(size) < K) oldest = '0;
    if (new_ != 0 && oldest == 0) size = size + 1'b1;
    next_held = (next_held & ~oldest) | new_;
    next_by_end = next_by_end & ~offered;
    for (int j = 0; j < N; j++) if (offered[j]) now_age[j*BITS+:BITS] = '0;

    // Steps 0 to 3: the offer's decisions, the first use first; 4 to 6: time-outs after notices; 7 and 8: ends of data and
    // of worms. Each releases one destination at most: one message is offered in a clock, one word leaves, and one place
    // comes back.
    for (int step = 0; step < 9; step++) begin
      if (step == 4) begin
        // The offered message is a demand.
        next_due = next_due & ~new_;
        again = offered & ~next_requested & (~next_table | (next_releasing & new_));
        if (WORMS) again = again & new_;
        request = request | again;
        next_requested = next_requested | again;
        next_at_switch = next_at_switch | again;
        next_releasing = next_releasing & ~again;
        next_served = next_served | (offered & worms & (waits | again)) |
            (offered & ~waits & (next_table | next_requested));
        // Notices.
        next_table = next_table & ~lost;
        next_releasing = next_releasing & ~lost;
        again = lost & waits;
        request = request | again;
        next_served = next_served | ((again | established) & under_way);
        next_requested = (next_requested & ~lost) | again;
        next_at_switch = next_at_switch | again;
        next_table = next_table | established;
        next_requested = next_requested & ~established;
      end
      case (step)
        0: released = offer ? overdue & ~by_end : '0;
        1: released = offer ? overdue & by_end & ~newer : '0;
        2: released = offer ? overdue & by_end & newer : '0;
        3: released = oldest;
        4: released = offer ? '0 : overdue & ~by_end;
        5: released = offer ? '0 : overdue & by_end & ~newer;
        6: released = offer ? '0 : overdue & by_end & newer;
        default: released = next_due & ~waits & ~(next_after_worms & under_way);
      endcase
      if (step == 7) released = released & (~released + 1'b1);
      next_due = (next_due & ~released) | (released & waits);
      released = released & ~waits;
      // A destination whose data left not long ago stays held, if there is a place.
      again = released & (next_table | next_requested);
      // Worms under way keep it, too.
      back = again & under_way & (next_held | {N{32'(size) < K}});
      next_due = next_due | back;
      next_after_worms = (next_after_worms & ~again) | back;
      released = released & ~back;
      again = again & ~back;
      back = again & ~next_held & recent & ~under_way & {N{32'(size) < K}};
      if (back != 0) size = size + 1'b1;
      if (WORMS && back != 0) begin
        for (int j = 0; j < N; j++) if (back[j]) back_age = now_end_age[j*BITS+:BITS];
        for (int j = 0; j < N; j++) tied[j] = now_age[j*BITS+:BITS] == back_age;
        next_newer = (next_newer & ~tied) | back;
      end
      next_held = next_held | back;
      next_by_end = next_by_end | back;
      for (int j = 0; j < N; j++) if (back[j]) now_age[j*BITS+:BITS] = now_end_age[j*BITS+:BITS];
      gone = released & ~(again & next_held) & (next_table | next_requested | next_at_switch);
      release_ = release_ | gone;
      next_releasing = (next_releasing & ~gone) | (gone & next_table);
      next_requested = next_requested & ~gone;
      next_at_switch = next_at_switch & ~gone;
    end
  end

  always_ff @(posedge clk) begin
    held <= next_held;
    by_end <= next_by_end;
    in_table <= next_table;
    requested <= next_requested;
    at_switch <= next_at_switch;
    releasing <= next_releasing;
    due <= next_due;
    newer <= WORMS ? next_newer : '0;
    served <= WORMS ? next_served : '0;
    after_worms <= WORMS ? next_after_worms : '0;
    for (int j = 0; j < N; j++) begin
      age[j*BITS+:BITS] <= now_age[j*BITS+:BITS] + 1'b1;
      end_age[j*BITS+:BITS] <= now_end_age[j*BITS+:BITS] + BITS'(now_end_age[j*BITS+:BITS] != '1);
    end
    if (reset) begin
      held <= '0;
      by_end <= '0;
      in_table <= '0;
      requested <= '0;
      at_switch <= '0;
      releasing <= '0;
      due <= '0;
      newer <= '0;
      served <= '0;
      after_worms <= '0;
      end_age <= '1;
    end
  end
endmodule
