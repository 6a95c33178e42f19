// Core of the replay: simulated time, what happens at which instant, and what continues because of it.
//
// The parts of the replay (point-to-point messages, collectives, one-sided accesses) keep their requests,
// messages and collectives in pools. They refer to each other's by the typed handles below, and resume what
// waits for a message through this queue.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <variant>
#include <vector>

#include "core/pool.h"
#include "core/time.h"
#include "emulator/network/longest_run.h"

namespace hybrid {

struct JobLocation;     // emulator/replay/job_location.h
struct JobMessage;      // emulator/replay/job_messages.h
struct PostedReceive;   // emulator/replay/point_to_point.h
struct CollectivePart;  // emulator/replay/collective_runs.h

using LocationHandle = PoolHandle<JobLocation>;
using MessageHandle = PoolHandle<JobMessage>;
using ReceiveHandle = PoolHandle<PostedReceive>;
using CollectiveHandle = PoolHandle<CollectivePart>;

/// What waits for a message: a location, one rank's part in a collective, or a posted receive that no
/// location waits for yet. Default: nothing.
using Waiter = std::variant<std::monostate, LocationHandle, CollectiveHandle, ReceiveHandle>;

inline bool is_any(const Waiter& waiter) { return waiter.index() != 0; }

class JobEvents {
 public:
  struct ComputeEnds {
    LocationHandle location;
  };
  /// The last word of a message between two ranks of one port has left.
  struct LocalInjection {
    MessageHandle message;
  };
  struct LocalDelivery {
    MessageHandle message;
  };
  /// The fabric has completed a rank's part of a broadcast or barrier.
  struct FabricCompletion {
    CollectiveHandle part;
  };
  using Action = std::variant<ComputeEnds, LocalInjection, LocalDelivery, FabricCompletion>;

  Time now() const { return now_; }
  /// Requires: `now` is not before the current instant.
  void set_now(Time now) { now_ = now; }

  /// Throws UserError when `at` is later than any run can be (kLongestRun).
  void schedule(Time at, Action action) { events_.push({within_run(at), order_++, action}); }
  /// Instant of the next action; Time::never() if there is none.
  Time next() const { return events_.empty() ? Time::never() : events_.top().at; }
  /// Removes the next action and moves the current instant to its time. Actions of one instant come in the
  /// order in which they were scheduled. Requires: there is one.
  Action take_next() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    return event.action;
  }

  /// Has `waiter` continue at this instant, after those woken before it. No effect for no waiter.
  void wake(const Waiter& waiter) {
    if (is_any(waiter)) woken_.push_back(waiter);
  }
  /// Calls resume(waiter) for all woken waiters in order, those included that are woken by these calls.
  template <class Resume>
  void resume_woken(Resume&& resume) {
    for (std::size_t i = 0; i < woken_.size(); ++i) resume(Waiter(woken_[i]));
    woken_.clear();
  }

 private:
  struct Event {
    Time at;
    std::uint64_t order;
    Action action;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Waiter> woken_;
  Time now_{};
  std::uint64_t order_ = 0;
};

}  // namespace hybrid
