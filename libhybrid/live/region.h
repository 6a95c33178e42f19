// The shared memory of one host: for each rank the connections that it wants and its counters, for each port
// a row of established connections. It is a POSIX shared-memory object with a name of 128 random bits,
// created with O_EXCL and mode 0600. It is unlinked as soon as every rank has mapped it, so that it never
// remains after the job, however that ends.
//
// All accesses are loads and stores: there is no lock that a dying process could hold. The writers are:
//   header          the creator, before another process knows the name
//   LiveRank        the rank, also its rows of wanted and preloaded connections and its list of preloads
//   rows, grants    the service
//
// A rank writes what it wants, not a queue of commands: commands that the service has not read yet combine,
// so that they need no more memory however late the service is, and none is lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"

namespace hybrid {

/// A monotonic clock that gives the same reading in every process of a host. `ticks` may be called from any
/// thread; it never returns 0.
struct LiveClock {
  std::function<std::uint64_t()> ticks;
  std::uint64_t ticks_per_second = 0;
};

/// Converts ticks to model time.
struct LiveTimeline {
  std::uint64_t origin_ticks = 0;
  std::uint64_t ticks_per_second = 1;

  /// Rounds down to a picosecond. Ticks before the origin are time 0.
  Time at(std::uint64_t ticks) const {
    __extension__ using Wide = unsigned __int128;
    if (ticks <= origin_ticks) return {};
    const Wide ps = Wide{ticks - origin_ticks} * 1'000'000'000'000u / ticks_per_second;
    return {static_cast<std::int64_t>(std::min<Wide>(ps, static_cast<Wide>(Time::never().ps - 1)))};
  }
};

enum class CommandKind : std::uint32_t { request = 1, release = 2, flush = 3, preload = 4 };

/// Counts of the commands to the live scheduler and of its grants.
struct LiveCounters {
  std::uint64_t requests = 0, releases = 0, flushes = 0, preloads = 0;
  std::uint64_t grants = 0;  // connections of the rank's port that became established
  std::uint64_t hits = 0;    // messages sent while their connection was established
  std::uint64_t misses = 0;  // messages sent while it was not

  LiveCounters& operator+=(const LiveCounters& other);
  bool operator==(const LiveCounters&) const = default;
};

inline constexpr std::size_t kLiveLine = 128;  // two cache lines, since the prefetcher loads pairs

/// State and counters of one rank, which only the rank writes. A flush empties the rows and the list before
/// it is counted. `changes` is written last, so that a service that has read it sees the change.
struct alignas(kLiveLine) LiveRank {
  std::atomic<std::uint64_t> changes{0};         // of what the rank wants
  std::atomic<std::uint32_t> preload_length{0};  // of the list of preloads
  std::atomic<std::uint32_t> finished{0};        // 1: the rank wants nothing any more
  std::atomic<std::uint64_t> requests{0}, releases{0}, flushes{0}, preloads{0}, hits{0}, misses{0};
  // Written by the creator.
  std::uint32_t world_rank = 0;
  std::uint32_t row = 0;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The header at the start of the object. After it come, each aligned to kLiveLine: the ranks, the port
/// numbers and grant counts of the rows, the words of the rows, and for each rank the words of its two rows
/// with its list of preloads.
struct LiveRegion {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'L', 'I', 'V', 'E', '2'};

  char magic[8] = {};
  std::uint64_t bytes = 0;         // size of the whole object
  std::uint32_t ranks = 0;         // of this host
  std::uint32_t rows = 0;          // ports with a rank of this host
  std::uint32_t ports = 0;         // of the switch
  std::uint32_t row_words = 0;     // words of a row
  std::uint64_t origin_ticks = 0;  // the job's time 0 on this host
  std::uint64_t ranks_offset = 0, row_ports_offset = 0, grants_offset = 0, rows_offset = 0, wants_offset = 0;

  LiveRank& rank(std::uint32_t local) { return at<LiveRank>(ranks_offset)[local]; }
  /// For the service: no connection is established any more.
  void clear_rows() {
    for (std::size_t w = 0; w < std::size_t{rows} * row_words; ++w)
      row(0)[w].store(0, std::memory_order_relaxed);
  }
  /// The connections that the rank requests.
  std::atomic<Word>* requested(std::uint32_t local) {
    return at<std::atomic<Word>>(wants_offset + local * wants_bytes());
  }
  /// The connections in the list of preloads.
  std::atomic<Word>* preloaded(std::uint32_t local) { return requested(local) + row_words; }
  /// The connections that the rank preloads, in the order of the calls, each once.
  std::atomic<Port>* preloads(std::uint32_t local) {
    return at<std::atomic<Port>>(wants_offset + local * wants_bytes() + 2 * row_bytes());
  }
  std::uint64_t row_bytes() const { return row_words * sizeof(std::atomic<Word>); }
  /// Size of the two rows and the list of a rank. Ranks share no cache line.
  std::uint64_t wants_bytes() const {
    return (2 * row_bytes() + ports * sizeof(std::atomic<Port>) + kLiveLine - 1) / kLiveLine * kLiveLine;
  }
  /// The port of each row, ascending.
  std::span<Port> row_ports() { return {at<Port>(row_ports_offset), rows}; }
  std::atomic<std::uint64_t>& grants(std::uint32_t row) {
    return at<std::atomic<std::uint64_t>>(grants_offset)[row];
  }
  std::atomic<Word>* row(std::uint32_t r) {
    return at<std::atomic<Word>>(rows_offset) + std::size_t{r} * row_words;
  }

 private:
  template <class T>
  T* at(std::uint64_t offset) {
    return std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset));
  }
};

/// The description from which the creator lays out the object.
struct LiveRegionShape {
  std::span<const std::uint32_t> world_ranks;  // of this host, by local index
  std::span<const Port> port_of_rank;          // by world rank
  std::uint32_t ports = 0;
  std::uint64_t origin_ticks = 0;
};

/// A mapping of the object into this process. The destructor unmaps it, and unlinks it if that was not done.
class LiveMapping {
 public:
  LiveMapping() = default;
  ~LiveMapping();
  LiveMapping(LiveMapping&& other) noexcept;
  LiveMapping& operator=(LiveMapping&& other) noexcept;

  /// Creates the object under a new name. All of its memory is reserved here, so that a full /dev/shm is an
  /// error here and never a SIGBUS later. Throws RunError.
  static LiveMapping create(const LiveRegionShape& shape);
  /// Opens the object that another rank of this user created. Throws RunError if that fails, or if the object
  /// belongs to another user, is not private, or has another layout.
  static LiveMapping open(const std::string& name);

  LiveRegion* region() const { return region_; }
  /// "/hybrid-" and 32 hexadecimal digits; "" after unlink(), or if another process created the object.
  const std::string& name() const { return name_; }
  /// Removes the name; the memory stays mapped in all processes that mapped it.
  void unlink();

 private:
  LiveRegion* region_ = nullptr;
  std::size_t bytes_ = 0;
  std::string name_;
};

}  // namespace hybrid
