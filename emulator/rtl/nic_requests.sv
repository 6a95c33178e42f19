// The requests and releases of a NIC with the time-out predictor, and its predicted circuit switching table (D 5.2, 5.2.2;
// emulator/tdm/nic_requests.h and predictor/timeout.cpp).
//
// A message that is offered requests the connection, unless the table has it. The predictor holds the K destinations that
// were used last, each until it is not used for `timeout` clocks; use ends when the last word has left. A destination
// that is not held and has no data is released. A connection that is lost while data waits is requested again.
//
// Order within a clock: flush, offer, notices of the switch, time-outs, ends of data.
module nic_requests #(
    parameter int N = 8,
    parameter int K = 4,
    parameter int BITS = 12,  // of `timeout`
    localparam int P = $clog2(N)
) (
    input  logic            clk,
    input  logic            reset,
    input  logic [BITS-1:0] timeout,      // 1 to 2^BITS - 2
    input  logic            flush,
    input  logic            offer,        // of a message
    input  logic [   P-1:0] destination,
    input  logic [   N-1:0] unsent,       // data waits for these destinations, without the offered message
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
  logic [N*BITS-1:0] age;      // of held destinations: clocks since the last use
  logic [N*BITS-1:0] end_age;  // clocks since the last word left, up to the largest value

  // The values after the steps so far.
  logic [N-1:0] next_held, next_by_end, next_table, next_requested, next_at_switch, next_releasing, next_due;
  logic [N*BITS-1:0] now_age, now_end_age;
  logic [N-1:0] offered, waits, overdue, recent, new_, released, again, back, gone, oldest;
  logic [BITS-1:0] oldest_age;
  logic oldest_by_end;
  logic [P:0] size;  // of next_held

  always_comb begin
    now_age = age;
    for (int j = 0; j < N; j++) now_end_age[j*BITS+:BITS] = left[j] ? '0 : end_age[j*BITS+:BITS];
    for (int j = 0; j < N; j++) recent[j] = now_end_age[j*BITS+:BITS] < timeout;

    next_held = held;
    next_by_end = by_end;
    next_table = in_table;
    next_requested = requested;
    next_at_switch = at_switch;
    next_releasing = releasing;
    next_due = due;
    request = '0;
    release_ = '0;
    if (flush) begin
      next_held = '0;
      next_due = '0;
      next_requested = unsent;
      next_at_switch = unsent;
      next_releasing = releasing & ~unsent;
      request = unsent;
    end

    // The predictor: time-outs, and the place of a destination that was not held.
    offered = offer ? One << destination : '0;
    waits = unsent | offered;
    for (int j = 0; j < N; j++) overdue[j] = next_held[j] && !offered[j] && age[j*BITS+:BITS] >= timeout;
    new_ = offered & ~next_held;
    next_held = next_held & ~overdue;
    oldest = '0;
    oldest_age = '0;
    oldest_by_end = 0;
    for (int j = 0; j < N; j++)
      if (next_held[j] && (oldest == 0 || age[j*BITS+:BITS] > oldest_age ||
                           (age[j*BITS+:BITS] == oldest_age && oldest_by_end && !by_end[j]))) begin
        oldest = One << j;
        oldest_age = age[j*BITS+:BITS];
        oldest_by_end = by_end[j];
      end
    size = '0;
    for (int j = 0; j < N; j++) size = size + (P + 1)'(next_held[j]);
    if (new_ == 0 || 32'(size) < K) oldest = '0;
    if (new_ != 0 && oldest == 0) size = size + 1'b1;
    next_held = (next_held & ~oldest) | new_;
    next_by_end = next_by_end & ~offered;
    for (int j = 0; j < N; j++) if (offered[j]) now_age[j*BITS+:BITS] = '0;

    // Steps 0 to 2: the offer's decisions, the first use first; 3 and 4: time-outs after notices; 5: ends of data. Each
    // releases one destination at most: one message is offered in a clock, and one word leaves.
    for (int step = 0; step < 6; step++) begin
      if (step == 3) begin
        // The offered message is a demand.
        next_due = next_due & ~new_;
        again = offered & ~next_requested & (~next_table | (next_releasing & new_));
        request = request | again;
        next_requested = next_requested | again;
        next_at_switch = next_at_switch | again;
        next_releasing = next_releasing & ~again;
        // Notices.
        next_table = next_table & ~lost;
        next_releasing = next_releasing & ~lost;
        again = lost & waits;
        request = request | again;
        next_requested = (next_requested & ~lost) | again;
        next_at_switch = next_at_switch | again;
        next_table = next_table | established;
        next_requested = next_requested & ~established;
      end
      case (step)
        0: released = offer ? overdue & ~by_end : '0;
        1: released = offer ? overdue & by_end : '0;
        2: released = oldest;
        3: released = offer ? '0 : overdue & ~by_end;
        4: released = offer ? '0 : overdue & by_end;
        default: released = next_due & ~waits;
      endcase
      next_due = (next_due & ~released) | (released & waits);
      released = released & ~waits;
      // A destination whose data left not long ago stays held, if there is a place.
      again = released & (next_table | next_requested);
      back = again & ~next_held & recent & {N{32'(size) < K}};
      if (back != 0) size = size + 1'b1;
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
      end_age <= '1;
    end
  end
endmodule
