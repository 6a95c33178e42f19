// The shared memory of one host: per rank a queue of asks and its counters, per port a row of established
// connections. A POSIX shared-memory object with a name of 128 random bits, created with O_EXCL and mode
// 0600, and unlinked as soon as every rank has it mapped, so that no end of the job leaves it behind.
//
// Everyone only ever loads and stores: there is no lock to die with. Who writes what:
//   header          the creator, before anyone else knows the name
//   LiveRank        the rank, but `head`: the service
//   rows, grants    the service
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>

#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

enum class AskKind : std::uint32_t { request = 1, release = 2, flush = 3, preload = 4 };

/// One thing asked of the scheduler by one rank.
struct LiveAsk {
  std::uint64_t ticks = 0;  // of the job's clock; 0: unknown
  Port destination = kNoPort;
  AskKind kind = AskKind::request;
};
static_assert(sizeof(LiveAsk) == 16);

/// What the live scheduler was asked and gave.
struct LiveCounters {
  std::uint64_t requests = 0, releases = 0, flushes = 0, preloads = 0;  // asked
  std::uint64_t dropped = 0;  // of these, those that found the queue full
  std::uint64_t grants = 0;   // connections of the rank's port that became established
  std::uint64_t hits = 0;     // messages whose connection was established when they were handed over
  std::uint64_t misses = 0;   // those whose connection was not

  LiveCounters& operator+=(const LiveCounters& other);
  bool operator==(const LiveCounters&) const = default;
};

inline constexpr std::size_t kLiveLine = 128;  // two cache lines: the prefetcher takes pairs

/// One rank's part. Positions count asks since the start and never wrap; an ask lives at position mod
/// capacity.
struct alignas(kLiveLine) LiveRank {
  // Written by the service, on a line of its own.
  std::atomic<std::uint64_t> head{0};  // asks taken
  // Written by the rank.
  alignas(kLiveLine) std::atomic<std::uint64_t> tail{0};  // asks written
  std::uint64_t head_seen = 0;                            // the rank's copy of `head`, maybe old
  std::atomic<std::uint64_t> requests{0}, releases{0}, flushes{0}, preloads{0}, dropped{0}, hits{0},
      misses{0};
  std::atomic<std::uint32_t> finished{0};  // the rank asks nothing more
  // Written by the creator.
  std::uint32_t world_rank = 0;
  std::uint32_t row = 0;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The header, at the start of the object. Followed, each aligned to kLiveLine, by the ranks, the rows' port
/// numbers and grant counts, the rows' words, and the queues.
struct LiveRegion {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'L', 'I', 'V', 'E', '1'};
  static constexpr std::uint32_t kRingCapacity = 1024;  // asks per rank, a power of two

  char magic[8] = {};
  std::uint64_t bytes = 0;      // of the whole object
  std::uint32_t ranks = 0;      // of this host
  std::uint32_t rows = 0;       // ports with a rank of this host
  std::uint32_t ports = 0;      // of the switch
  std::uint32_t row_words = 0;  // words of a row
  std::uint32_t ring_capacity = 0;
  std::uint32_t reserved = 0;
  std::uint64_t origin_ticks = 0;  // the job's time 0 on this host
  std::uint64_t ranks_offset = 0, row_ports_offset = 0, grants_offset = 0, rows_offset = 0, asks_offset = 0;

  LiveRank& rank(std::uint32_t local) { return at<LiveRank>(ranks_offset)[local]; }
  LiveAsk* asks(std::uint32_t local) { return at<LiveAsk>(asks_offset) + std::size_t{local} * ring_capacity; }
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

/// What the creator needs to know.
struct LiveRegionShape {
  std::span<const std::uint32_t> world_ranks;  // of this host, by local index
  std::span<const Port> port_of_rank;          // by world rank
  std::uint32_t ports = 0;
  std::uint64_t origin_ticks = 0;
};

/// A mapping of the object into this process. Unmapped at the end; unlinked then too, if not before.
class LiveMapping {
 public:
  LiveMapping() = default;
  ~LiveMapping();
  LiveMapping(LiveMapping&& other) noexcept;
  LiveMapping& operator=(LiveMapping&& other) noexcept;

  /// Creates the object; the name is new. The memory is reserved, so that a full /dev/shm shows here and
  /// never as SIGBUS. Throws RunError.
  static LiveMapping create(const LiveRegionShape& shape);
  /// Opens the object that another rank of this user created. Throws RunError, also when the object is not
  /// ours, not private, or of another layout.
  static LiveMapping open(const std::string& name);

  LiveRegion* region() const { return region_; }
  /// "/hybrid-" and 32 hexadecimal digits; "" once unlinked or when another created it.
  const std::string& name() const { return name_; }
  /// Takes the name away; the memory lives on in those who mapped it.
  void unlink();

 private:
  LiveRegion* region_ = nullptr;
  std::size_t bytes_ = 0;
  std::string name_;
};

}  // namespace hybrid
