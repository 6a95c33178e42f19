// StoredJob: the operations of a job in memory, for all passes over it: an archive is decoded once.
//
//   if (auto stored = StoredJob::read(open, processors(), StoredJob::kMostBytes, {}))
//     open = [stored] { return stored->open(); };
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/replay/operation.h"

namespace hybrid {

/// Opens a trace. Each pass over a job opens it again and reads it from the start. Accepts concurrent calls.
using TraceOpener = std::function<std::unique_ptr<JobTrace>()>;

class StoredJob : public std::enable_shared_from_this<StoredJob> {
 public:
  /// Enough for tens of millions of operations.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  /// Receives how much of the trace has been read, from one thread at a time.
  using Note = std::function<void(JobTrace::EventsRead)>;

  /// Reads the trace, each rank on one of `threads` threads. Returns nullptr for a job that takes more than
  /// `most_bytes`, or that is going to, by its number of events. Throws what a trace throws; of several
  /// damaged ranks the error of the lowest.
  static std::shared_ptr<const StoredJob> read(const TraceOpener& open, unsigned threads,
                                               std::size_t most_bytes, const Note& note);

  /// A pass over the job. Keeps the stored operations.
  std::unique_ptr<JobTrace> open() const;

  /// Of all ranks.
  std::uint64_t operations() const { return operations_; }
  std::size_t bytes() const;

 private:
  friend class StoredTrace;
  using Code = std::vector<std::uint8_t>;

  std::unique_ptr<JobTrace> definitions_;  // its operations are not read
  std::vector<Code> locations_;            // the operations of each, encoded
  std::uint64_t operations_ = 0;
};

}  // namespace hybrid
