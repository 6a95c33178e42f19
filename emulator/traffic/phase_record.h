// Measures of each phase of a pattern (Pattern::phases) in a run.
//
// Nodes change phase independently, and messages of the next phase may overtake those of the previous one.
// The time of a phase is therefore recorded per node: a node is in a phase until the last message that it
// sent in this phase has arrived, and in its last phase until the end of the run. So each instant belongs to
// exactly one phase of each sending node, and the means over these nodes add up to the time of the run.
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
  /// The phase of a message and the stretch of its source that it belongs to.
  struct Place {
    std::uint32_t phase = 0, stretch = 0;
  };

  PhaseRecord(std::uint32_t nodes, const std::vector<std::string>& names) : nodes_(nodes) {
    for (const std::string& name : names) account_.add(name);
  }

  /// Records that the next message of `source` belongs to `phase`.
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

  /// Returns the measures of a run from `begin` to `end`. Call it once, after all messages are delivered.
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
    Time last;  // latest arrival of its messages
  };
  PhaseAccount account_;
  std::vector<std::vector<Stretch>> nodes_;
};

}  // namespace hybrid
