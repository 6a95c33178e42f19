// A rank's side of the live scheduler: what it asks, and what it knows to be established. All calls are
// wait-free: loads and stores in shared memory, no lock, no allocation, no system call; so a rank that dies
// or a service that dies leaves nobody waiting.
//
// One service per host (libhybrid/live/service.h) owns the scheduler port or forwards to the host that does.
// The row of established connections is the rank's Predicted Circuit Switching Table (D 3.4.1).
#pragma once

#include <atomic>
#include <cstdint>

#include "core/connection.h"
#include "core/port_set.h"
#include "libhybrid/live/region.h"

namespace hybrid {

/// A copy refers to the same rank. The calls of one rank, over all copies, come from one thread at a time.
/// A client that is not active must not be asked anything.
class LiveClient {
 public:
  LiveClient() = default;
  /// `region` stays mapped as long as the client is used; `local_rank` is an index into its ranks.
  LiveClient(LiveRegion* region, std::uint32_t local_rank)
      : rank_(&region->rank(local_rank)),
        asks_(region->asks(local_rank)),
        row_(region->row(rank_->row)),
        mask_(region->ring_capacity - 1) {}

  bool active() const { return rank_ != nullptr; }

  /// Whether the circuit from this rank's port to `destination` (< ports) is established now.
  bool established(Port destination) const {
    return (row_[destination / kWordBits].load(std::memory_order_relaxed) & bit_of(destination)) != 0;
  }
  /// A message to `destination` is handed to the network: counts a hit or a miss and says which.
  bool count_send(Port destination) {
    const bool hit = established(destination);
    bump(hit ? rank_->hits : rank_->misses);
    return hit;
  }

  /// Asks. `ticks` is the time of asking on the job's clock (LiveClock); 0: when the service sees it. A full
  /// queue drops the ask and counts it (LiveCounters::dropped).
  void request(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->requests);
    ask({ticks, destination, AskKind::request});
  }
  void release(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->releases);
    ask({ticks, destination, AskKind::release});
  }
  /// The working set ends: drops what this rank has requested and preloaded (D 5.2.3).
  void flush(std::uint64_t ticks = 0) {
    bump(rank_->flushes);
    ask({ticks, kNoPort, AskKind::flush});
  }
  /// `destination` belongs to the working set that a hint told: it goes into a preloaded slot if the job has
  /// any with room, otherwise it is requested. Stays until flush.
  void preload(Port destination, std::uint64_t ticks = 0) {
    bump(rank_->preloads);
    ask({ticks, destination, AskKind::preload});
  }

 private:
  // Only this rank writes these counters: a plain add, made visible to readers, not a locked one.
  static void bump(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void ask(const LiveAsk& ask) {
    const std::uint64_t tail = rank_->tail.load(std::memory_order_relaxed);
    if (tail - rank_->head_seen > mask_) {
      rank_->head_seen = rank_->head.load(std::memory_order_acquire);
      // Still full: dropped. (A damaged head makes the difference wrap: full, too.)
      if (tail - rank_->head_seen > mask_) return bump(rank_->dropped);
    }
    asks_[tail & mask_] = ask;
    rank_->tail.store(tail + 1, std::memory_order_release);
  }

  LiveRank* rank_ = nullptr;
  LiveAsk* asks_ = nullptr;
  const std::atomic<Word>* row_ = nullptr;
  std::uint64_t mask_ = 0;
};

}  // namespace hybrid
