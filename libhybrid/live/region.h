// The shared memory of one host: for each rank a queue of commands and its counters, for each port a row of
// established connections. It is a POSIX shared-memory object with a name of 128 random bits, created with
// O_EXCL and mode 0600. It is unlinked as soon as every rank has mapped it, so that it never remains after
// the job, however that ends.
//
// All accesses are loads and stores: there is no lock that a dying process could hold. The writers are:
//   header          the creator, before another process knows the name
//   LiveRank        the rank; `head`: the service
//   rows, grants    the service
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

/// A command of one rank to the scheduler.
struct LiveCommand {
  std::uint64_t ticks = 0;  // of the job's clock; 0: unknown
  Port destination = kNoPort;
  CommandKind kind = CommandKind::request;
};
static_assert(sizeof(LiveCommand) == 16);

/// Counts of the commands to the live scheduler and of its grants.
struct LiveCounters {
  std::uint64_t requests = 0, releases = 0, flushes = 0, preloads = 0;
  std::uint64_t dropped = 0;  // commands among these that found the queue full
  std::uint64_t grants = 0;   // connections of the rank's port that became established
  std::uint64_t hits = 0;     // messages sent while their connection was established
  std::uint64_t misses = 0;   // messages sent while it was not

  LiveCounters& operator+=(const LiveCounters& other);
  bool operator==(const LiveCounters&) const = default;
};

inline constexpr std::size_t kLiveLine = 128;  // two cache lines, since the prefetcher loads pairs

/// Queue positions and counters of one rank. Positions count commands since the start and never wrap; a
/// command is stored at its position modulo the capacity.
struct alignas(kLiveLine) LiveRank {
  // Written by the service, on a separate line.
  std::atomic<std::uint64_t> head{0};  // commands read
  // Written by the rank.
  alignas(kLiveLine) std::atomic<std::uint64_t> tail{0};  // commands written
  std::uint64_t head_seen = 0;                            // the rank's copy of `head`, possibly out of date
  std::atomic<std::uint64_t> requests{0}, releases{0}, flushes{0}, preloads{0}, dropped{0}, hits{0},
      misses{0};
  std::atomic<std::uint32_t> finished{0};  // 1: the rank sends no more commands
  // Written by the creator.
  std::uint32_t world_rank = 0;
  std::uint32_t row = 0;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The header at the start of the object. After it come, each aligned to kLiveLine: the ranks, the port
/// numbers and grant counts of the rows, the words of the rows, and the queues.
struct LiveRegion {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'L', 'I', 'V', 'E', '1'};
  static constexpr std::uint32_t kRingCapacity = 1024;  // commands per rank, a power of two

  char magic[8] = {};
  std::uint64_t bytes = 0;      // size of the whole object
  std::uint32_t ranks = 0;      // of this host
  std::uint32_t rows = 0;       // ports with a rank of this host
  std::uint32_t ports = 0;      // of the switch
  std::uint32_t row_words = 0;  // words of a row
  std::uint32_t ring_capacity = 0;
  std::uint32_t reserved = 0;
  std::uint64_t origin_ticks = 0;  // the job's time 0 on this host
  std::uint64_t ranks_offset = 0, row_ports_offset = 0, grants_offset = 0, rows_offset = 0,
                commands_offset = 0;

  LiveRank& rank(std::uint32_t local) { return at<LiveRank>(ranks_offset)[local]; }
  LiveCommand* commands(std::uint32_t local) {
    return at<LiveCommand>(commands_offset) + std::size_t{local} * ring_capacity;
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
