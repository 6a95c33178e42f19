// Broadcasts and barriers of command files that are in progress in a fabric with hardware multicast.
// emulator/network/collective_plane.h computes when they complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "core/port_set.h"
#include "emulator/network/collective_plane.h"

namespace hybrid {

class CommandMulticast {
 public:
  /// Completion of a broadcast at all destinations, or of a barrier for all PEs.
  struct Event {
    Time at;
    std::uint64_t number = 0;
    Port source = kNoPort;    // broadcast
    std::size_t command = 0;  // broadcast: index in the source's file
    Time sent{};
    bool is_barrier() const { return source == kNoPort; }
    bool operator>(const Event& o) const { return std::tie(at, number) > std::tie(o.at, o.number); }
  };

  /// PEs 0 ... participants - 1 take part; at least two. `instant`: as of CollectivePlane.
  CommandMulticast(const SwitchParameters& parameters, std::uint32_t participants, bool instant = false)
      : plane_(parameters, instant), participants_(participants), ports_(parameters.nodes) {}

  /// Starts a broadcast and returns when its last word leaves the PE.
  Time broadcast(Time now, Port pe, std::size_t command, Bytes bytes) {
    PortSet others(ports_);
    for (Port other = 0; other < participants_; ++other)
      if (other != pe) others.set(other);
    const CollectivePlane::Copied copied = plane_.multicast(now, pe, others, bytes);
    events_.push({copied.delivered, number_++, pe, command, now});
    return copied.injected;
  }

  /// Records that one more PE has reached the barrier.
  void enter_barrier(Time now) {
    if (++at_barrier_ < participants_) return;
    at_barrier_ = 0;
    events_.push({plane_.barrier(now), number_++, kNoPort, 0, now});
  }

  Time next_event() const { return events_.empty() ? Time::never() : events_.top().at; }
  /// Removes and returns the next event; next_event() must not be never().
  Event pop_event() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  CollectivePlane plane_;
  std::uint32_t participants_, ports_;
  std::uint32_t at_barrier_ = 0;
  std::uint64_t number_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace hybrid
