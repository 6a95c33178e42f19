// Arbiter between the ranks of a job and the scheduler port. It combines the commands of the ranks that share
// a port, and collects the connections that ranks preload one by one into configurations.
//
// A connection stays requested while any rank of its source port requests it. Each rank counts once per
// connection, however often it sends the request; a release or flush withdraws only the requests of its own
// rank. The preloaded slots (the first `preload_slots`) take the connections that ranks preload while they
// have room; the other connections become requests.
//
// The class uses no thread, clock or shared memory: all calls carry their time and come from one thread.
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
  /// `port_of_rank`: by world rank, each below port->shape().ports. `preload_slots`: at most the port's
  /// slots.
  LiveArbiter(std::unique_ptr<SchedulerPort> port, std::vector<Port> port_of_rank,
              std::uint32_t preload_slots);

  /// Executes a command of `rank`. Commands may arrive late, but the time of the port never decreases: a time
  /// before the latest one is replaced by the latest one. Ignored are a rank or destination out of range, an
  /// unknown kind, and a destination at the rank's own port (which needs no circuit).
  void execute(Time at, std::uint32_t rank, CommandKind kind, Port destination);
  /// Runs the scheduler up to `until`, or up to the latest time if that is later. Returns the changes in time
  /// order; they are valid until the next call.
  std::span<const Grant> advance(Time until);
  /// SchedulerPort::next_change for the commands that were executed before the last advance().
  Time next_change() const { return port_->next_change(); }
  std::uint32_t ports() const { return port_->shape().ports; }

 private:
  struct Demand {
    std::uint32_t requests = 0;  // ranks that requested the connection
    std::uint32_t preloads = 0;  // ranks that preloaded it
  };

  void request(std::uint32_t rank, Connection c);
  void release(std::uint32_t rank, Connection c);
  void preload(std::uint32_t rank, Connection c);
  void flush(std::uint32_t rank, Port source);
  void drop_preload(std::uint32_t rank, Connection c);
  void erase_if_unused(Connection c);
  /// Sends the preloaded slots that changed to the port.
  void send_preloads();

  std::unique_ptr<SchedulerPort> port_;
  std::vector<Port> port_of_rank_;
  std::vector<std::uint32_t> ranks_at_port_;
  BitMatrix requested_, preloaded_;  // by rank and destination
  std::unordered_map<Connection, Demand> demand_;
  PreloadSlots slots_;
  std::vector<Configuration> sent_;      // by preloaded slot: the configuration that the port holds
  std::vector<Connection> unpreloaded_;  // no longer preloaded, but still requested: must be requested again
  Time now_{};
  std::vector<Grant> grants_;
};

}  // namespace hybrid
