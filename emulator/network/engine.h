// What every technique shares: the time line, the messages in flight, the PEs, the listener.
//
// A technique derives from Engine, says into which queue an offered message goes, moves words (as runs) when
// something changed, and reports the last word of each message. Where it knows that its state repeats, whole
// periods pass in one step, up to what comes next from inside or outside. All instants computed ahead are
// certain when they are computed; nothing is ever taken back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/network/event_queue.h"
#include "emulator/network/processing_element.h"
#include "emulator/network/timeline.h"
#include "emulator/network/timing.h"
#include "emulator/switching/technique.h"

namespace hybrid {

/// A message in flight.
struct MessageInFlight {
  Message message;
  bool circuit = false;
  bool hit = false;
};

/// Phases of one instant, in order; techniques add their own kinds between `offer` and `injected`.
enum EventKinds : std::uint32_t { kOffer = 0, kFirstOwnKind = 1, kInjected = 254, kDelivered = 255 };

class Engine : public Technique {
 public:
  explicit Engine(const SwitchParameters& parameters)
      : parameters_(parameters), timing_(parameters), pes_(parameters.nodes) {}

  void send(Time at, const Message& message) override;
  Time next_event() const override {
    return in_flight_ == 0 ? Time::never() : std::max(events_.next(), quiet_until_);
  }
  Time advance(Time until, TransferListener& listener) override;
  void observe(PortTimeline& timeline) override { timeline_ = &timeline; }
  TechniqueStatistics statistics() const override { return statistics_; }

 protected:
  /// The message that `pe` offers now: returns its queue and sets the number of its words.
  virtual WordQueue& classify(Time now, std::uint32_t pe, std::uint32_t transfer, std::uint64_t& words) = 0;
  /// Words entered a queue of `pe`; moves them on. Must not call fill().
  virtual void moved(Time now, std::uint32_t pe, WordQueue& queue) = 0;
  virtual void handle(Time now, const SwitchEvent& event) = 0;

  /// How the state repeats from now_ on, if nothing is asked from outside: what comes in each `period` is the
  /// same again, later by `period`, for `times` periods, without a call of the listener.
  struct Repetition {
    Time period{};
    std::uint64_t times = 0;
  };
  virtual Repetition repetition() { return {}; }
  /// Takes `times` (no more than repetition() just gave) periods in one step.
  virtual void repeat(const Repetition& /*taken*/) {}
  /// It may be that the state repeats: has the engine ask for repetition() after this instant.
  void look_for_repetition() { look_at_ = std::min(look_at_, std::max(now_, look_not_before_)); }
  /// The state does not repeat.
  void forget_repetition() { look_at_ = Time::never(); }

  /// Lets `pe` enter words as far as room is known.
  void fill(std::uint32_t pe);
  /// Reports that the last word of a message arrives at `at`.
  void deliver(Time at, std::uint32_t transfer) { events_.push(at, kDelivered, transfer); }
  /// Tells the timeline of a circuit's words that leave the NIC at `starts`, before they leave `queue`.
  void tell_circuit(const WordQueue& queue, Connection c, const Run& starts, std::uint32_t slot);
  MessageInFlight& transfer(std::uint32_t index) { return transfers_[index]; }
  std::uint64_t in_flight() const { return in_flight_; }
  /// Brings the time line to `at`, where something is asked from outside.
  void reach(Time at);

  SwitchParameters parameters_;
  Timing timing_;
  EventQueue events_;
  std::vector<ProcessingElement> pes_;
  TechniqueStatistics statistics_;
  Time now_{};
  PortTimeline* timeline_ = nullptr;  // who is told, if anybody; then nothing passes in one step

 private:
  bool run_instant(Time at, TransferListener* listener);
  void leap(Time limit);

  Time look_at_ = Time::never();  // ask for a repetition when running to here
  Time look_not_before_{};
  Time quiet_until_{};  // no listener call before, unless something is asked from outside
  std::vector<MessageInFlight> transfers_;
  std::vector<std::uint32_t> unused_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace hybrid
