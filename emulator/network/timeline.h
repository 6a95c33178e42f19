// What each port does when: an observer that a technique tells, where one is attached (Technique::observe).
// With one attached nothing repeats in one step (emulator/network/engine.h), so that every run of words is
// told of; what a message's timing is does not change.
//
// Calls come in the order in which the technique gets to know, which is not that of the instants; what is
// told is certain. Spans of one port's PE never overlap, and nor do those of one channel of its link or
// output.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/queue.h"
#include "emulator/network/run.h"
#include "emulator/network/technique.h"

namespace hybrid {

/// Words of one message that pass a point one after the other.
struct WordSpan {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  Connection connection;
  std::uint32_t transfer = 0;  // the message, by the number told with offered()
  Run starts;
  Time word{};                   // that each takes
  bool worm = false;             // else over a circuit
  std::uint32_t slot = kNoSlot;  // TDM slot, where there are slots and it is a circuit's
  /// Where links are split for good: 1, 2, ... the channel that carries circuits; 0: the worms' share. A
  /// link that is not split: 0.
  std::uint32_t channel = 0;
  Time end() const { return starts.last() + word; }
};

class PortTimeline {
 public:
  virtual ~PortTimeline() = default;
  /// A PE begins to generate the first word at `from`; `transfer` stands for the message until it is
  /// delivered.
  virtual void offered(Time from, std::uint32_t transfer, const Message& message) = 0;
  /// Its last word has left the PE.
  virtual void generated(Time until, std::uint32_t transfer) = 0;
  /// On the link out of the source's NIC.
  virtual void on_link(const WordSpan& words) = 0;
  /// Out of the fabric, towards the destination.
  virtual void out_of_fabric(const WordSpan& words) = 0;
  /// A connection was asked for and granted (circuits: as its NIC knows).
  virtual void waited(Time from, Time until, Connection connection, bool worm) = 0;
  /// A TDM slot at the switch: `slot` < K or, for S_W, K. Nothing passes in the first `unusable` of it.
  virtual void slot(Time begin, Time end, std::uint32_t slot, bool wormhole, Time unusable) = 0;
};

/// Calls visit(transfer, starts) for each message among the words of `segments` that leave at `starts`;
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
