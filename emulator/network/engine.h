// What every technique shares: the time line, the messages in flight, the PEs, the listener.
//
// A technique derives from Engine, says into which queue an offered message goes, moves words (as runs) when
// something changed, and reports the last word of each message. All instants computed ahead are certain when
// they are computed; nothing is ever taken back.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/event_queue.h"
#include "emulator/network/processing_element.h"
#include "emulator/network/timing.h"
#include "emulator/switching/technique.h"

namespace hybrid {

/// A message in flight.
struct Transfer {
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
  Time next_event() const override { return in_flight_ == 0 ? Time::never() : events_.next(); }
  Time advance(Time until, TransferListener& listener) override;
  TechniqueStatistics statistics() const override { return statistics_; }

 protected:
  /// The message that `pe` offers now: returns its queue and sets the number of its words.
  virtual WordQueue& classify(Time now, std::uint32_t pe, std::uint32_t transfer, std::uint64_t& words) = 0;
  /// Words entered a queue of `pe`; moves them on. Must not call fill().
  virtual void moved(Time now, std::uint32_t pe, WordQueue& queue) = 0;
  virtual void handle(Time now, const SwitchEvent& event) = 0;

  /// Lets `pe` enter words as far as room is known.
  void fill(std::uint32_t pe);
  /// Reports that the last word of a message arrives at `at`.
  void deliver(Time at, std::uint32_t transfer) { events_.push(at, kDelivered, transfer); }
  Transfer& transfer(std::uint32_t index) { return transfers_[index]; }
  std::uint64_t in_flight() const { return in_flight_; }
  /// Brings the time line to `at`, where something is asked from outside.
  void reach(Time at);

  SwitchParameters parameters_;
  Timing timing_;
  EventQueue events_;
  std::vector<ProcessingElement> pes_;
  TechniqueStatistics statistics_;
  Time now_{};

 private:
  bool run_instant(Time at, TransferListener* listener);

  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> unused_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace hybrid
