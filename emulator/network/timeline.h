// Observer of the activity of each port (Technique::observe). For one that needs the words, the engine skips
// no periods (emulator/network/engine.h), so that every run of words is reported. The timing of messages does
// not change.
//
// Calls are not in time order; what is reported is certain. Spans of one port's PE do not overlap, and
// neither do those of one channel of its link or output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/queue.h"
#include "emulator/network/run.h"
#include "emulator/network/technique.h"

namespace hybrid {

/// Consecutive words of one message at one point.
struct WordSpan {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  Connection connection;
  std::uint32_t transfer = 0;  // the message, by its number in offered()
  Run starts;
  Time word{};                   // duration of each word
  bool worm = false;             // otherwise over a circuit
  std::uint32_t slot = kNoSlot;  // TDM slot of a circuit
  /// Split links: 1, 2, ...: channel of the circuit; 0: the worms' share. Other links: 0.
  std::uint32_t channel = 0;
  Time end() const { return starts.last() + word; }
};

class PortTimeline {
 public:
  virtual ~PortTimeline() = default;
  /// Whether all calls up to in_rank() are needed. Otherwise some of them are left out, and long messages are
  /// emulated faster.
  virtual bool needs_words() const { return true; }

  /// A PE begins to generate the first word at `from`. `transfer` is the number of the message until its
  /// delivery.
  virtual void offered(Time /*from*/, std::uint32_t /*transfer*/, const Message& /*message*/) {}
  /// The last word has left the PE.
  virtual void generated(Time /*until*/, std::uint32_t /*transfer*/) {}
  /// Words of the message enter a queue of its NIC.
  virtual void entered(std::uint32_t /*transfer*/, const Run& /*entries*/) {}
  /// On the link out of the source's NIC.
  virtual void on_link(const WordSpan& /*words*/) {}
  /// Out of the fabric, towards the destination.
  virtual void out_of_fabric(const WordSpan& /*words*/) {}
  /// A connection was requested at `from` and granted at `until` (circuits: as known to the NIC).
  virtual void waited(Time /*from*/, Time /*until*/, Connection /*connection*/, bool /*worm*/) {}
  /// A NIC sends a request or a release of a circuit to the switch. In order of time.
  virtual void control(Time /*at*/, Connection /*connection*/, bool /*request*/) {}
  /// A NIC reports that data that can leave waits for a circuit, or that none waits (QueueReports). It waits
  /// while more of the former reports were made than of the latter.
  virtual void waiting(Time /*at*/, Connection /*connection*/, bool /*waits*/) {}
  /// A TDM slot at the switch: `slot` < K or, for S_W, K. No word passes in its first `unusable` time.
  virtual void slot(Time /*begin*/, Time /*end*/, std::uint32_t /*slot*/, bool /*wormhole*/,
                    Time /*unusable*/) {}

  /// A replayed job: a thread of a rank computes, or waits in an operation. In order of time for a location.
  virtual void in_rank(std::uint32_t /*rank*/, std::uint32_t /*location*/, Time /*from*/, Time /*until*/,
                       std::string_view /*what*/) {}

  /// The scheduler establishes a connection in a TDM slot, or releases it. In order of time.
  virtual void circuit(Time /*at*/, Connection /*connection*/, std::uint32_t /*slot*/, bool /*established*/) {
  }
  /// A message has arrived. In order of time.
  virtual void delivered(Time /*at*/, const Message& /*message*/) {}
};

/// Calls visit(transfer, starts) for each message of the words of `segments` that leave at `starts`. Call it
/// before remove_segment_words().
template <class Visit>
void for_each_message(const Ring<Segment>& segments, const Run& starts, Visit&& visit) {
  std::uint64_t done = 0;
  for (std::size_t i = 0; done < starts.count; ++i) {
    const std::uint64_t words = std::min(segments[i].words, starts.count - done);
    visit(segments[i].transfer, Run{starts.at(done), starts.step, words});
    done += words;
  }
}

}  // namespace hybrid
