// The live scheduler as a rank uses it: sends commands and reads which connections are established. All calls
// are wait-free: loads and stores in shared memory, no lock, no allocation, no system call. A rank or a
// service that dies therefore never blocks another one.
//
// One service per host (libhybrid/live/service.h) owns the scheduler port, or forwards to the host that owns
// it. The row of established connections is the rank's Predicted Circuit Switching Table (D 3.4.1).
#pragma once

#include <atomic>
#include <cstdint>

#include "core/connection.h"
#include "core/port_set.h"
#include "libhybrid/live/region.h"

namespace hybrid {

/// A copy refers to the same rank. All calls for one rank, on any copy, must come from one thread at a time.
/// A client that is not active allows no call but active().
class LiveClient {
 public:
  LiveClient() = default;
  /// `region` must stay mapped while the client is used; `local_rank` is an index into its ranks.
  LiveClient(LiveRegion* region, std::uint32_t local_rank)
      : rank_(&region->rank(local_rank)),
        commands_(region->commands(local_rank)),
        row_(region->row(rank_->row)),
        mask_(region->ring_capacity - 1) {}

  bool active() const { return rank_ != nullptr; }

  /// True if the circuit from this rank's port to `destination` (< ports) is established now.
  bool established(Port destination) const {
    return (row_[destination / kWordBits].load(std::memory_order_relaxed) & bit_of(destination)) != 0;
  }
  /// Counts a message to `destination` that the rank hands to the network as a hit or a miss. True for a hit.
  bool count_send(Port destination) {
    const bool hit = established(destination);
    bump(hit ? rank_->hits : rank_->misses);
    return hit;
  }

  /// The four commands. `ticks` is the time of the command on the job's clock (LiveClock); 0: the time at
  /// which the service reads it. A full queue drops the command and counts it (LiveCounters::dropped).
  void request(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->requests);
    enqueue({ticks, destination, CommandKind::request});
  }
  void release(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->releases);
    enqueue({ticks, destination, CommandKind::release});
  }
  /// Ends the working set: drops all connections that this rank has requested or preloaded (D 5.2.3).
  void flush(std::uint64_t ticks = 0) {
    bump(rank_->flushes);
    enqueue({ticks, kNoPort, CommandKind::flush});
  }
  /// Preloads the connection to a destination of a hinted working set: it goes into a preloaded slot if one
  /// has room, otherwise it is requested. It stays until flush().
  void preload(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->preloads);
    enqueue({ticks, destination, CommandKind::preload});
  }

 private:
  // Only this rank writes these counters: a load and a store are enough, no locked add is needed.
  static void bump(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void enqueue(const LiveCommand& command) {
    const std::uint64_t tail = rank_->tail.load(std::memory_order_relaxed);
    if (tail - rank_->head_seen > mask_) {
      rank_->head_seen = rank_->head.load(std::memory_order_acquire);
      // Still full: drop the command. (With a damaged head the difference wraps, which counts as full, too.)
      if (tail - rank_->head_seen > mask_) return bump(rank_->dropped);
    }
    commands_[tail & mask_] = command;
    rank_->tail.store(tail + 1, std::memory_order_release);
  }

  LiveRank* rank_ = nullptr;
  LiveCommand* commands_ = nullptr;
  const std::atomic<Word>* row_ = nullptr;
  std::uint64_t mask_ = 0;
};

}  // namespace hybrid
