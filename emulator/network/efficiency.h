// How efficiently circuits and worms use their slots, as the switch measures it while it runs (D 4.4: slots
// "should be comparable to their real traffic requirements"). With it, allocation `sla` divides the time in
// proportion to what each kind of traffic needs (emulator/tdm/allocation.cpp).
//
// The efficiency of a kind is the share of the link's rate at which a port with demand moves payload in slots
// of this kind. Only ports with demand count: otherwise every division of the time would be a fixed point,
// since a kind with too much time uses a part of it only. So the measure does not see that few ports have
// demand for one kind and many for the other.
// - Circuits: the time of a predictive slot in which whole words can start and end, in the slots at whose end
//   data waits for a circuit of the slot, as the switch knows it (R_valid of D 4.5).
// - Worms: in S_W, a source has demand from the report that a message which travels as worms was offered to
//   its NIC until the last of its worms has left the switch: Q_W is FIFO, and the wire takes time, so that
//   VQ_W may be empty meanwhile. The payload of a worm counts when its ports become free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/ring.h"

namespace hybrid {

/// Of the ports with demand, in picoseconds: time that payload took on their links, and all their time.
struct Efficiency {
  std::uint64_t used = 0, all = 0;
  bool measured() const { return used != 0 && all != 0; }
};

/// Measures the efficiency of worms, at the switch. Instants do not decrease from call to call.
class WormMeter {
 public:
  WormMeter(std::uint32_t sources, Time word)
      : word_(static_cast<std::uint64_t>(word.ps)), offered_(sources, 0) {}

  /// S_W is at the fabric in [begin, end).
  void add_slot(Time begin, Time end) { slots_.push({begin, end}); }
  /// The switch knows from `at` on that `words` of payload were offered, which travel as worms.
  void note_offer(Time at, Port source, std::uint64_t words) {
    advance(at);
    if (offered_[source] == 0) ++sources_;
    offered_[source] += words;
  }
  /// A worm with this payload has left.
  void note_departure(Time at, Port source, std::uint64_t words) {
    advance(at);
    measured_.used += words * word_;
    offered_[source] -= words;
    if (offered_[source] == 0) --sources_;
  }
  /// Until `at`. Requires: all S_W that begin before are known.
  Efficiency until(Time at) {
    advance(at);
    return measured_;
  }
  Efficiency measured() const { return measured_; }

 private:
  struct Slot {
    Time begin{}, end{};
  };

  void advance(Time at) {
    for (; !slots_.empty(); slots_.pop()) {
      const Slot& slot = slots_.front();
      const Time time = std::min(slot.end, at) - std::max(slot.begin, now_);
      if (time > Time{}) measured_.all += static_cast<std::uint64_t>(time.ps) * sources_;
      if (slot.end > at) break;
    }
    now_ = std::max(now_, at);
  }

  std::uint64_t word_;
  Ring<Slot> slots_;
  std::vector<std::uint64_t> offered_;  // by source: words that have not left
  std::uint32_t sources_ = 0;           // with demand
  Time now_{};
  Efficiency measured_;
};

}  // namespace hybrid
