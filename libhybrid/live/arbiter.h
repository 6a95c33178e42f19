// Between the ranks of a job and the scheduler port: makes one requester of the ranks that share a port, and
// configurations of the connections that ranks preload one by one.
//
// A connection stays requested while any rank of its source port wants it: each rank's wish counts once,
// however often it is uttered, and a release or flush takes back only the rank's own. Preloaded slots (the
// first `preload_slots`) take what ranks preload as far as they have room; the rest becomes requests.
//
// No thread, no clock, no shared memory: calls come with their time, from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/scheduler_port.h"
#include "core/time.h"
#include "emulator/tdm/preload_slots.h"
#include "libhybrid/live/region.h"

namespace hybrid {

class LiveArbiter {
 public:
  /// `port_of_rank` by world rank, every one below port->shape().ports; `preload_slots` at most its slots.
  LiveArbiter(std::unique_ptr<SchedulerPort> port, std::vector<Port> port_of_rank,
              std::uint32_t preload_slots);

  /// What `rank` asks. A time before the latest one seen counts as that one: asks may arrive late, the port's
  /// time never goes back. A rank or destination out of range, an unknown kind, and a destination at the
  /// rank's own port (which needs no circuit) change nothing.
  void ask(Time at, std::uint32_t rank, AskKind kind, Port destination);
  /// Runs the scheduler up to `until` (at least the latest time seen); the changes, in time order, valid
  /// until the next call.
  std::span<const Grant> advance(Time until);
  /// As SchedulerPort::next_change; of what was asked up to the last advance.
  Time next_change() const { return port_->next_change(); }
  std::uint32_t ports() const { return port_->shape().ports; }

 private:
  struct Wish {
    std::uint32_t requests = 0;  // ranks that requested the connection
    std::uint32_t preloads = 0;  // ranks that preloaded it
  };

  void request(std::uint32_t rank, Connection c);
  void release(std::uint32_t rank, Connection c);
  void preload(std::uint32_t rank, Connection c);
  void flush(std::uint32_t rank, Port source);
  void drop_preload(std::uint32_t rank, Connection c);
  void forget_if_unwanted(Connection c);
  /// Gives the port the preloaded slots that changed.
  void settle_preloads();

  std::unique_ptr<SchedulerPort> port_;
  std::vector<Port> port_of_rank_;
  std::vector<std::uint32_t> ranks_at_port_;
  BitMatrix requested_, preloaded_;  // by rank and destination
  std::unordered_map<Connection, Wish> wishes_;
  PreloadSlots slots_;
  std::vector<Configuration> settled_;    // what the port holds in each preloaded slot
  std::vector<Connection> left_preload_;  // no longer preloaded, still requested: to be asked for again
  Time now_{};
  std::vector<Grant> grants_;
};

}  // namespace hybrid
