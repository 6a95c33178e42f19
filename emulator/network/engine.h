// Base class of the techniques: event queue, messages in flight, PEs and calls of the listener.
//
// A technique derives from Engine, selects the queue of each offered message, moves words (as runs) after
// each change, and schedules the delivery of each message's last word. If the state repeats, the engine skips
// whole periods in one step, up to the next event or the next call from outside. Instants that are computed
// ahead are certain; they are never revised.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/pool.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/processing_element.h"
#include "emulator/network/repetition.h"
#include "emulator/network/technique.h"
#include "emulator/network/timeline.h"
#include "emulator/network/timing.h"

namespace hybrid {

/// A message in flight.
struct MessageInFlight {
  Message message;
  bool circuit = false;
  bool hit = false;
  bool is_long = false;  // long enough for a search for repeated states
};

/// Event kinds, which are also the phases of one instant, in order. Techniques add kinds between kOffer and
/// kPlace, from kFirstOwnKind on.
enum EventKinds : std::uint32_t {
  kOffer = 0,
  kFirstOwnKind = 1,
  kPlace = 253,  // a word leaves a NIC whose queues share their places
  kInjected = 254,
  kDelivered = 255
};

class Engine : public Technique {
 public:
  explicit Engine(const SwitchParameters& parameters);

  /// For tests: number of events that were handled one by one.
  std::uint64_t events_handled() const { return handled_; }
  /// For tests: handles every event one by one, and disables the hybrid switch's search further ahead.
  void disable_period_skipping() { may_skip_periods_ = false; }

  void send(Time at, const Message& message) override;
  Time next_event() const override {
    return transfers_.empty() ? Time::never() : std::max(events_.next(), quiet_until_);
  }
  Time advance(Time until, TransferListener& listener) override;
  void disable_injection_reports() override { reports_injections_ = false; }
  void observe(PortTimeline& timeline) override {
    timeline_ = &timeline;
    if (timeline.needs_words()) observes_words_ = true;
  }
  /// statistics_, with the cycles of the scheduler's clock.
  TechniqueStatistics statistics() const override;

 protected:
  /// Returns the queue for the message `transfer` that `pe` offers now, and sets its number of words.
  virtual WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t transfer,
                                  std::uint64_t& words) = 0;
  /// Prefetches the state of `c`, of which the source's next message is.
  virtual void prefetch_state(Connection /*c*/) {}
  /// Moves words that entered `queue` of `pe`. Must not call fill_queue().
  virtual void forward_words(Time now, std::uint32_t pe, WordQueue& queue) = 0;
  /// The last word of a message of `pe` enters `queue` at `at`, which may be in the future.
  virtual void on_message_entered(Time /*at*/, std::uint32_t /*pe*/, const WordQueue& /*queue*/) {}
  virtual void handle_event(Time now, const SwitchEvent& event) = 0;

  /// Whether visit() lists everything that an event of this kind can change. By default states are not
  /// compared.
  virtual bool is_steady(std::uint32_t /*kind*/) const { return false; }
  /// Adds a delay of at most `longest` to those that the search for repeated states assumes.
  void add_delay(Time longest) { visitor_.settle_longer(2 * longest); }
  /// Lists the state that steady events change (emulator/network/repetition.h).
  virtual void visit(StateVisitor& v);
  /// Whether the technique uses the earliest possible offer of PEs without messages.
  virtual bool needs_offer_times() const { return false; }

  bool may_skip_periods() const { return may_skip_periods_; }
  /// Whether states may be compared before the next offer or delivery.
  bool searches_for_periods() const {
    return long_messages_ != 0 && may_skip_periods_ && !observes_words_ && pools_.empty();
  }
  /// Enters words of `pe`'s current message for which the queue has known places. Returns whether any
  /// entered.
  bool fill_queue(std::uint32_t pe);
  /// Removes the words that leave a queue for circuits of connection `c` at `starts`.
  void remove_circuit_words(WordQueue& queue, Connection c, const Run& starts) {
    queue.remove_words(starts);
    if (pools_.empty()) return;
    for (std::uint64_t word = 0; word < starts.count; ++word)
      events_.push(starts.at(word), kPlace, c.source, c.destination);
  }
  /// Schedules the delivery of message `transfer`, whose last word arrives at `at`.
  void schedule_delivery(Time at, std::uint32_t transfer) {
    __builtin_prefetch(&transfers_[transfer], 1);
    events_.push(at, kDelivered, transfer);
  }
  /// Reports circuit words that leave the NIC at `words.starts` to the timeline. Call it before they are
  /// removed from `queue`, which holds their messages.
  void report_circuit_words(const WordQueue& queue, const WordSpan& words);
  MessageInFlight& transfer(std::uint32_t index) { return transfers_[index]; }
  std::uint64_t in_flight() const { return transfers_.size(); }
  /// Handles all events before `at`, the instant of a call from outside.
  void run_until(Time at);

  SwitchParameters parameters_;
  Timing timing_;
  Bytes most_bytes_;  // of one message
  EventQueue events_;
  std::vector<ProcessingElement> pes_;
  TechniqueStatistics statistics_;
  Time now_{};
  PortTimeline* timeline_ = nullptr;  // optional observer
  bool observes_words_ = false;       // then no periods are skipped

 private:
  WormWords worm_words(std::uint32_t transfer, std::uint64_t words);
  bool run_instant(Time at, TransferListener* listener);
  void check_repetition();
  void skip_periods(Time limit);
  void save_state();

  // Search for repeated states (emulator/network/repetition.h), by Brent's algorithm: each state is compared
  // with a saved one, and after twice as many states the current state is saved instead.
  StateVisitor visitor_;
  bool may_skip_periods_ = true;
  bool reports_injections_ = true;
  std::uint64_t handled_ = 0;
  std::uint64_t long_messages_ = 0;          // in flight
  std::uint64_t calm_ = 0;                   // consecutive instants with steady events only
  std::uint64_t saved_ = 0, next_save_ = 0;  // value of calm_ at the last and the next save; 0: none
  std::uint64_t possible_ = 0;               // periods that can be skipped from found_at_, the last instant
  Time found_at_{};
  Time quiet_until_{};  // no listener call before this instant, unless a call comes from outside
  Pool<MessageInFlight> transfers_;
  std::vector<PlacePool> pools_;  // by node, if queues share their places
};

}  // namespace hybrid
