// Runs the inspectors of compiled programs (core/hint_abi.h): what a procedure will send, computed by a copy
// of its own code before it runs.
//
// An inspection has no effect on the program. It reads memory with loads that cannot fault (guarded_load.h).
// What the inspector writes is kept in a log. MPI is queried about communicators
// that the recording knows, with arguments that were checked before: wrong values, which speculation may
// compute, never reach MPI. An inspection ends after kMostSteps iterations of loops, and keeps errno. In a
// threaded program it may read memory that another thread writes; then its result may be wrong like that of
// any speculation, and is a hint only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::shim {

/// What inspectors learn of MPI.
class InspectedMpi {
 public:
  virtual ~InspectedMpi() = default;
  /// The result of a query (enum hybrid_query); nullopt if MPI would not accept it.
  virtual std::optional<std::int32_t> answer(std::uint32_t what, std::span<const std::int32_t> arguments) = 0;
  /// The world rank of a communicator's rank, or of the destination of a persistent request
  /// (HYBRID_STARTED_REQUEST); negative if there is none, or if it is this rank.
  virtual std::int32_t world_rank(std::int32_t communicator, std::int32_t peer) = 0;
};

class Inspection : private hybrid_inspection {
 public:
  static constexpr std::int64_t kMostSteps = 100'000;

  explicit Inspection(InspectedMpi& mpi);

  /// Runs `inspector`. Returns the world ranks that it reported before it ended, sorted, without this rank;
  /// valid until the next run.
  std::span<const int> run(hybrid_inspector* inspector, const std::uint64_t* inputs);
  /// Whether the last run ended early: at memory that does not exist, a query that MPI would refuse, or a
  /// limit.
  bool ended_early() const { return steps < 0; }
  /// Whether it ended early because of a limit: of steps, or of the memory that it writes.
  bool reached_limit() const { return steps < 0 && !failed_; }
  /// Whether a rank that the last run reported is speculative.
  bool speculative() const { return speculative_; }

 private:
  /// Eight bytes of the log, at an address divisible by eight.
  struct Word {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint8_t known = 0;  // bit i: byte i was written
    std::uint32_t run = 0;   // the entry is of this run; otherwise it is free
  };
  static constexpr std::size_t kMostWords = 1 << 12;  // of the log; half of the table

  static Inspection& of(hybrid_inspection* inspection) { return *static_cast<Inspection*>(inspection); }
  std::uint64_t read(std::uint64_t at, std::uint32_t bytes);
  void write(std::uint64_t at, std::uint32_t bytes, std::uint64_t value);
  /// The entry of a word; a free one if the log does not have it.
  Word& find(std::uint64_t address);
  bool is_own(std::uint64_t at) const { return at >= kOwn && at < end_of_own_; }
  void report(std::int32_t peer, std::int32_t communicator, bool speculative);
  void end() { steps = -1; }
  void fail() {
    end();
    failed_ = true;
  }

  // Addresses of allocate(): no program has memory there.
  static constexpr std::uint64_t kOwn = std::uint64_t{0x4859} << 48;
  static constexpr std::uint64_t kMostOwn = std::uint64_t{1} << 24;

  InspectedMpi& mpi_;
  std::vector<Word> log_;
  std::uint32_t run_ = 0;
  std::size_t words_ = 0;  // in the log in this run
  std::uint64_t end_of_own_ = kOwn;
  std::vector<int> ranks_;
  bool speculative_ = false, failed_ = false;
};

}  // namespace hybrid::shim
