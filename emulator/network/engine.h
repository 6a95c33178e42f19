// What every technique shares: the time line, the messages in flight, the PEs, the listener.
//
// A technique derives from Engine, says into which queue an offered message goes, moves words (as runs) when
// something changed, and reports the last word of each message. Where its state repeats, whole periods pass
// in one step, up to what comes next from inside or outside. All instants computed ahead are certain when
// they are computed; nothing is ever taken back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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
  bool is_long = false;  // enough for a search for what repeats
};

/// Phases of one instant, in order; techniques add their own kinds between `offer` and `injected`.
enum EventKinds : std::uint32_t { kOffer = 0, kFirstOwnKind = 1, kInjected = 254, kDelivered = 255 };

class Engine : public Technique {
 public:
  explicit Engine(const SwitchParameters& parameters);

  /// What was done to get here, for tests: events looked at one by one.
  std::uint64_t events_handled() const { return handled_; }
  /// For tests: every event is looked at, and the hybrid switch looks further ahead for none.
  void disable_period_skipping() { may_skip_periods_ = false; }

  void send(Time at, const Message& message) override;
  Time next_event() const override {
    return in_flight_ == 0 ? Time::never() : std::max(events_.next(), quiet_until_);
  }
  Time advance(Time until, TransferListener& listener) override;
  void disable_injection_reports() override { reports_injections_ = false; }
  void observe(PortTimeline& timeline) override { timeline_ = &timeline; }
  TechniqueStatistics statistics() const override { return statistics_; }

 protected:
  /// The message that `pe` offers now: returns its queue and sets the number of its words.
  virtual WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t transfer,
                                  std::uint64_t& words) = 0;
  /// A message of this connection is offered next by its source: brings its state into the cache.
  virtual void prefetch_state(Connection /*c*/) {}
  /// Words entered a queue of `pe`; moves them on. Must not call fill_queue().
  virtual void forward_words(Time now, std::uint32_t pe, WordQueue& queue) = 0;
  virtual void handle_event(Time now, const SwitchEvent& event) = 0;

  /// Whether all that an event of this kind can change is listed by visit(). By default no state is looked
  /// at.
  virtual bool is_steady(std::uint32_t /*kind*/) const { return false; }
  /// There is one more delay, at most so long.
  void add_delay(Time longest) { visitor_.settle_longer(2 * longest); }
  /// Lists what steady events change (emulator/network/repetition.h).
  virtual void visit(StateVisitor& v);
  /// Whether anything depends on when a PE that has nothing to offer could offer something.
  virtual bool needs_offer_times() const { return false; }

  bool may_skip_periods() const { return may_skip_periods_; }
  /// Whether states may be compared before the next message is offered or delivered.
  bool searches_for_periods() const {
    return long_messages_ != 0 && may_skip_periods_ && timeline_ == nullptr;
  }
  /// Lets `pe` enter words as far as room is known. Returns whether any entered.
  bool fill_queue(std::uint32_t pe);
  /// Reports that the last word of a message arrives at `at`.
  void schedule_delivery(Time at, std::uint32_t transfer) {
    __builtin_prefetch(&transfers_[transfer], 1);
    events_.push(at, kDelivered, transfer);
  }
  /// Tells the timeline of a circuit's words that leave the NIC at `words.starts`, before they leave `queue`;
  /// which message's they are, the queue knows.
  void report_circuit_words(const WordQueue& queue, const WordSpan& words);
  MessageInFlight& transfer(std::uint32_t index) { return transfers_[index]; }
  std::uint64_t in_flight() const { return in_flight_; }
  /// Brings the time line to `at`, where something is asked from outside.
  void run_until(Time at);

  SwitchParameters parameters_;
  Timing timing_;
  Bytes most_bytes_;  // of one message
  EventQueue events_;
  std::vector<ProcessingElement> pes_;
  TechniqueStatistics statistics_;
  Time now_{};
  PortTimeline* timeline_ = nullptr;  // who is told, if anybody; then nothing passes in one step

 private:
  bool run_instant(Time at, TransferListener* listener);
  void check_repetition();
  void skip_periods(Time limit);
  void save_state();

  // What repeats (emulator/network/repetition.h). The search is Brent's: each state is compared with a saved
  // one, and twice as many states later another one is saved.
  StateVisitor visitor_;
  bool may_skip_periods_ = true;
  bool reports_injections_ = true;
  std::uint64_t handled_ = 0;
  std::uint64_t long_messages_ = 0;          // in flight
  std::uint64_t calm_ = 0;                   // instants, one after the other, with steady events only
  std::uint64_t saved_ = 0, next_save_ = 0;  // when calm_ was, will be this; 0: none
  std::uint64_t possible_ = 0;               // periods that may pass from found_at_, the last instant
  Time found_at_{};
  Time quiet_until_{};  // no listener call before, unless something is asked from outside
  std::vector<MessageInFlight> transfers_;
  std::vector<std::uint32_t> unused_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace hybrid
