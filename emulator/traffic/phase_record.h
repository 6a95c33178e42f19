// What each phase of a pattern (Pattern::phases) had of a run.
//
// Nodes go through their phases on their own, and messages of the next one may overtake those of the one
// before; so a phase's time is told node by node. A node is in a phase until the last message that it sends
// there has arrived, and in its last phase until the run is over: each moment belongs to one phase of each
// node that sends, and the means over these nodes add up to the time of the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/measures.h"
#include "emulator/network/technique.h"

namespace hybrid {

class PhaseRecord {
 public:
  /// Of a message: its phase, and which of its source's stretches it belongs to.
  struct Place {
    std::uint32_t phase = 0, stretch = 0;
  };

  PhaseRecord(std::uint32_t nodes, const std::vector<std::string>& names) : nodes_(nodes) {
    for (const std::string& name : names) account_.add(name);
  }

  /// The next message of `source` is of `phase`.
  Place sent(Port source, std::uint32_t phase) {
    std::vector<Stretch>& stretches = nodes_[source];
    if (stretches.empty() || stretches.back().phase != phase) stretches.push_back({phase, {}});
    return {phase, static_cast<std::uint32_t>(stretches.size() - 1)};
  }
  void delivered(Time at, const Message& message, Place place, bool hit) {
    Time& last = nodes_[message.connection.source][place.stretch].last;
    last = std::max(last, at);
    account_.message(place.phase, message.bytes);
    if (hit) account_.hit(place.phase);
  }
  void latency(Place place, Time latency) { account_.latency(place.phase, latency); }

  /// All is delivered; the run lasted from `begin` to `end`.
  std::vector<PhaseMeasures> finish(Time begin, Time end) {
    std::uint64_t senders = 0;
    for (const std::vector<Stretch>& stretches : nodes_) {
      Time from = begin;
      for (const Stretch& stretch : stretches) {
        const Time until = &stretch == &stretches.back() ? end : std::max(from, stretch.last);
        account_.time(stretch.phase, until - from);
        from = until;
      }
      senders += stretches.empty() ? 0 : 1;
    }
    return account_.finish(senders);
  }

 private:
  struct Stretch {
    std::uint32_t phase;
    Time last;  // arrival of its messages
  };
  PhaseAccount account_;
  std::vector<std::vector<Stretch>> nodes_;
};

}  // namespace hybrid
