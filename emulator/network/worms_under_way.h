// Connections with worms under way, and the instant at which the NIC knows that the last worm has left. A
// circuit of the same connection waits for it, so that no message overtakes another.
#pragma once

#include <cstdint>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/connection_table.h"

namespace hybrid {

class WormsUnderWay {
 public:
  explicit WormsUnderWay(std::uint32_t ports) : worms_(ports) {}

  void announce_message(Connection c) {
    ++worms_.get(c.source, c.destination).unfinished;
    ++unfinished_;
  }
  /// The last word of a message has left; the NIC knows it from `known` on.
  void note_departure(Connection c, Time known) {
    Worms& worms = worms_.get(c.source, c.destination);
    --worms.unfinished;
    --unfinished_;
    worms.cleared = known;
  }
  /// The instant from which the NIC knows that all worms of `c` have left; Time::never() if some have not.
  Time time_cleared(Connection c) {
    const Worms* worms = worms_.find(c.source, c.destination);
    if (worms == nullptr) return Time{};
    return worms->unfinished == 0 ? worms->cleared : Time::never();
  }
  bool empty() const { return unfinished_ == 0; }

 private:
  struct Worms {
    std::uint32_t unfinished = 0;  // messages announced whose last word has not left
    Time cleared{};
  };
  ConnectionTable<Worms> worms_;
  std::uint64_t unfinished_ = 0;
};

}  // namespace hybrid
