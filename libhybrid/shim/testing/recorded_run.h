// Runs the programs of this folder with the preloaded library and reads their recordings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/temporary_directory.h"
#include "libhybrid/recording/definitions.h"

namespace hybrid::shim::testing {

using Environment = std::map<std::string, std::string>;

struct Outcome {
  int status = -1;  // exit status; 128 + signal number
  std::string out, err;
};

/// Returns the path of a program (or library) of this folder.
std::string program(const std::string& name);
std::string preload_library();

/// Runs `command` in `directory` with `environment` added. Ends it after two minutes.
Outcome run(const std::vector<std::string>& command, const Environment& environment,
            const std::string& directory);
/// Runs `command` with mpiexec, `environment`, and the library preloaded into the ranks.
Outcome run_ranks(int ranks, const std::vector<std::string>& command, Environment environment,
                  const std::string& directory);

/// A recorded job with its journals and definitions.
class RecordedRun {
 public:
  RecordedRun(int ranks, const std::vector<std::string>& command, Environment environment = {});

  const Outcome& outcome() const { return outcome_; }
  const std::string& recording() const { return recording_; }
  Definitions definitions(std::uint32_t rank) const;
  /// All events of a rank, its threads' journals one after the other.
  std::vector<Event> events(std::uint32_t rank) const;
  std::uint32_t threads(std::uint32_t rank) const;
  /// Whether all journals of the rank are complete.
  bool complete(std::uint32_t rank) const;

  /// Returns the transfers of a rank, one line each:
  ///   "send 1 tag 5 40": peer, tag, bytes; with "comm 2" unless it is MPI_COMM_WORLD, and "#1" for the first
  ///   request in the journal, and so on. Sizes by peer are "to 1 20" and "from 1 20" lines before their
  ///   collective, the group of an epoch is "member 1" lines before its begin.
  /// Omitted: start and finish, empty polls, calls without data, predictions.
  std::vector<std::string> transfers(std::uint32_t rank) const;

 private:
  TemporaryDirectory directory_;
  std::string recording_;
  Outcome outcome_;
};

std::size_t count(const std::vector<Event>& events, EventKind kind);

}  // namespace hybrid::shim::testing
