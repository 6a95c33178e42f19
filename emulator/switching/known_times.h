// Base class of networks in which the instants of a message are known when it is sent, such as the bounds
// without contention (emulator/switching/no_network.cpp, uncontended.cpp).
//
// A derived class computes the instants; this class reports them in the order of time. Calls of one instant
// come in the order of sending, each message's injection before its delivery. A send and a report take time
// logarithmic in the number of messages in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "emulator/network/longest_run.h"
#include "emulator/network/technique.h"

namespace hybrid {

class KnownTimes : public Technique {
 public:
  void send(Time at, const Message& message) final {
    const Instants instants = instants_of(at, message);
    // The number orders equal times.
    if (reports_injections_) reports_.push({instants.injected, number_++, message, false});
    reports_.push({within_run(instants.delivered), number_++, message, true});
  }
  Time next_event() const final { return reports_.empty() ? Time::never() : reports_.top().at; }
  Time advance(Time until, TransferListener& listener) final {
    const Time at = next_event();
    if (at > until || reports_.empty()) return until;
    for (; next_event() == at; reports_.pop()) {
      const Message& message = reports_.top().message;
      if (!reports_.top().delivery) {
        listener.injected(at, message);
        continue;
      }
      ++statistics_.messages;
      statistics_.bytes += message.bytes;
      listener.delivered(at, message, false);
    }
    return at;
  }
  void disable_injection_reports() final { reports_injections_ = false; }
  TechniqueStatistics statistics() const final { return statistics_; }

 protected:
  struct Instants {
    Time injected, delivered;  // of the last word; not before the send, and in this order
  };
  /// Called once for each message, in the order of sending.
  virtual Instants instants_of(Time at, const Message& message) = 0;

 private:
  struct Report {
    Time at;
    std::uint64_t number;
    Message message;
    bool delivery;  // else: injection
    bool operator>(const Report& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  std::priority_queue<Report, std::vector<Report>, std::greater<>> reports_;
  std::uint64_t number_ = 0;
  bool reports_injections_ = true;
  TechniqueStatistics statistics_;
};

}  // namespace hybrid
