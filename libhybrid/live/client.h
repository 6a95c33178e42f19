// The live scheduler as a rank uses it: changes which connections the rank wants and reads which are
// established. All calls are wait-free: loads and stores in shared memory, no lock, no allocation, no system
// call. A rank or a service that dies therefore never blocks another one.
//
// Commands combine until the service reads them: a request that repeats an earlier one writes nothing, and a
// request that was released before the service read it has no effect.
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
        row_(region->row(rank_->row)),
        requested_(region->requested(local_rank)),
        preloaded_(region->preloaded(local_rank)),
        preloads_(region->preloads(local_rank)),
        words_(region->row_words) {}

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

  /// The four commands; destinations are below `ports`.
  void request(Port destination) {
    bump(rank_->requests);
    if (set(requested_, destination)) bump(rank_->changes);
  }
  void release(Port destination) {
    bump(rank_->releases);
    std::atomic<Word>& word = requested_[destination / kWordBits];
    const Word before = word.load(std::memory_order_relaxed);
    if ((before & bit_of(destination)) == 0) return;
    word.store(before & ~bit_of(destination), std::memory_order_relaxed);
    bump(rank_->changes);
  }
  /// Ends the working set: drops all connections that this rank has requested or preloaded (D 5.2.3).
  void flush() {
    for (std::uint32_t w = 0; w < words_; ++w) {
      requested_[w].store(0, std::memory_order_relaxed);
      preloaded_[w].store(0, std::memory_order_relaxed);
    }
    rank_->preload_length.store(0, std::memory_order_relaxed);
    bump(rank_->flushes);
    bump(rank_->changes);
  }
  /// Preloads the connection to a destination of a hinted working set: it goes into a preloaded slot if one
  /// has room, otherwise it is requested. It stays until flush().
  void preload(Port destination) {
    bump(rank_->preloads);
    if (!set(preloaded_, destination)) return;
    const std::uint32_t length = rank_->preload_length.load(std::memory_order_relaxed);
    preloads_[length].store(destination, std::memory_order_relaxed);
    rank_->preload_length.store(length + 1, std::memory_order_release);
    bump(rank_->changes);
  }

 private:
  // Only this rank writes these counters: a load and a store are enough, no locked add is needed. The release
  // makes the earlier stores visible to a service that reads the counter.
  static void bump(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// False if the bit was set already.
  static bool set(std::atomic<Word>* row, Port port) {
    std::atomic<Word>& word = row[port / kWordBits];
    const Word before = word.load(std::memory_order_relaxed);
    word.store(before | bit_of(port), std::memory_order_relaxed);
    return (before & bit_of(port)) == 0;
  }

  LiveRank* rank_ = nullptr;
  const std::atomic<Word>* row_ = nullptr;
  std::atomic<Word>* requested_ = nullptr;
  std::atomic<Word>* preloaded_ = nullptr;
  std::atomic<Port>* preloads_ = nullptr;
  std::uint32_t words_ = 0;
};

}  // namespace hybrid
