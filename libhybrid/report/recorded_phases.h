// Passes over a recorded job: its ports, phases and hints.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/time.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/phase_hints.h"
#include "emulator/replay/phase_preload.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/stored_job.h"
#include "emulator/traffic/topology_map.h"
#include "libhybrid/report/connection_traffic.h"
#include "libhybrid/report/terminal_text.h"
#include "predictor/phases.h"

namespace hybrid {

/// A trace that counts its operations and shows how much of it has been read.
class CountedTrace final : public ForwardingTrace {
 public:
  /// `note` (may be empty) must live as long as the trace; `what` names the pass.
  CountedTrace(std::unique_ptr<JobTrace> trace, std::string what, const ProgressNote& note);
  bool next(std::uint32_t location, Operation& operation) override;
  std::uint64_t operations() const { return operations_; }

 private:
  void show() const;

  std::string what_;
  const ProgressNote& note_;
  std::uint64_t operations_ = 0;
};

/// Reads the operations of the job into memory, if they fit (StoredJob), on `threads` (0: one for each
/// processor). Returns what opens them; `open` if they do not fit.
TraceOpener stored(const TraceOpener& open, unsigned threads, const ProgressNote& note);

/// The port of each rank, from the options or the trace; otherwise rank r is at port r. Throws UserError if
/// the option does not give one port per rank.
std::vector<std::uint32_t> ports_of_ranks(const JobTrace& trace, const ReplayOptions& options);
/// The largest port plus one.
std::uint32_t count_ports(const std::vector<std::uint32_t>& ports);

/// Phases of a job: those that the program hints, or if there are none, those found from the sends. A hinted
/// phase contains the sends inside it; the sends outside of all hinted phases form a separate phase.
struct FoundPhases {
  bool hinted = false;
  std::vector<Phase> phases;
  std::vector<PhaseOccurrence> occurrences;  // of phases found from the sends
  Time end{};                                // of the last send
  /// What each call of the program sends through the switch; empty if the trace has no call sites.
  std::map<SourceCall, Volume> calls;
};
/// Finds the phases. Adds the messages of hinted phases to `traffic` and the bytes of all messages to
/// `matrix`; both may be null.
FoundPhases find_phases(JobTrace& trace, const ReplayOptions& options, std::uint32_t ports,
                        PhaseTraffic* traffic = nullptr, TrafficMatrix* matrix = nullptr);

/// The source of hints that the program gave while it was recorded. Any other source is the path of a binary.
inline constexpr std::string_view kRecordedHints = "recorded";

/// Error: the recording has no hints, or the binary has no hints for any phase of the recording.
class NoHints final : public UserError {
 public:
  using UserError::UserError;
};

/// Reads the hints of `source`. `trace`: its name for errors; `found`: the phases of the job. Throws NoHints,
/// and UserError for a binary without hints.
PhaseHints hints_of(const std::string& source, const std::string& trace, const TraceOpener& open,
                    const FoundPhases& found);

/// One line per phase of the job for which the hints are incomplete.
std::vector<std::string> gaps_of(const PhaseHints& hints, const std::vector<Phase>& phases);

}  // namespace hybrid
