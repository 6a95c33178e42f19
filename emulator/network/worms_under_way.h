// Which connections have worms under way, and when their NICs know that the last one has left: what a circuit
// of the same connection waits for, so that nothing overtakes.
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
  /// The last word of a message has left; the NIC knows at `known`.
  void note_departure(Connection c, Time known) {
    Worms& worms = worms_.get(c.source, c.destination);
    --worms.unfinished;
    --unfinished_;
    worms.cleared = known;
  }
  /// Time::never() while some have not left.
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
