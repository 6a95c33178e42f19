// Report on a recorded job: facts, phases, predictor scores, measures of techniques, and a verdict. It is
// made from a trace alone; report_text.h and report_json.h convert it to text and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/measures.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/phase_preload.h"
#include "emulator/replay/replay.h"
#include "emulator/traffic/topology_map.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/verdict.h"
#include "predictor/evaluation.h"
#include "predictor/phases.h"

namespace hybrid {

struct JobFacts {
  std::uint32_t ranks = 0;
  std::uint32_t ports = 0;                                    // with at least one rank
  std::vector<std::pair<std::string, std::string>> recorded;  // all facts of the trace
  /// The value of a recorded fact, or "" if there is none.
  std::string_view find(std::string_view name) const;
};

/// Measures of a technique, and its comparison with wormhole.
struct TechniqueResult {
  Measures measures;
  double time_ratio = 0;           // wormhole's job time / this one (2: twice as fast); 0 without wormhole
  double communication_ratio = 0;  // the same for the communication time
};

/// A technique whose emulation did not reach the end of the job, and therefore has no measures.
struct TechniqueFailure {
  std::string technique;
  std::uint32_t slots = 0;  // 0 for a technique without slots
  std::string reason;       // one line
  bool of_trace = false;    // true: the operations of the trace do not match; false: the technique failed
};

struct JobReport {
  std::string trace;  // path as given by the user
  JobFacts job;
  bool phases_hinted = false;  // false: found from the sends
  std::vector<Phase> phases;
  std::vector<PredictorScore> predictors;   // one per predictor and K, summed over source ports
  std::vector<TechniqueResult> techniques;  // those that reached the end of the job
  std::vector<TechniqueFailure> failures;
  Verdict verdict;
  /// If a fixed topology is preloaded: the share of the job's bytes over its connections.
  std::optional<double> topology_share;
  std::vector<std::string> warnings;  // such as lost events or ranks that died; one line each
  JobOptions options;
};

/// Opens the trace. Each pass over a job opens it again and reads it from the start.
using TraceOpener = std::function<std::unique_ptr<JobTrace>()>;

/// Receives progress: the current step and the number of its operations that are done.
using ProgressNote = std::function<void(std::string_view what, std::uint64_t done)>;

/// Makes a report with two passes over the sends and one emulation per technique and K. `note` may be empty.
/// The same trace and options give the same report. Throws UserError for impossible parameters, and
/// exceptions of the trace. A technique that does not reach the end of the job is listed in
/// JobReport::failures.
JobReport make_report(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                      const ProgressNote& note);
JobReport make_report(const std::string& trace, const JobOptions& options, const ProgressNote& note);

/// Phases of a job: those that the program hints, or if there are none, those found from the sends. A hinted
/// phase contains the sends inside it; the sends outside of all hinted phases form a separate phase.
struct FoundPhases {
  bool hinted = false;
  std::vector<Phase> phases;
  std::vector<PhaseOccurrence> occurrences;  // of phases found from the sends
  Time end{};                                // of the last send
};
/// Finds the phases. Adds the messages of hinted phases to `traffic` and the bytes of all messages to
/// `matrix`; both may be null.
FoundPhases find_phases(JobTrace& trace, const ReplayOptions& options, std::uint32_t ports,
                      PhaseTraffic* traffic = nullptr, TrafficMatrix* matrix = nullptr);

/// Scores predictors on the sends of a job, with one evaluation per source port, summed up. Rows are in the
/// order of `names`, then of `capacities` (0: no limit).
std::vector<PredictorScore> score_predictors(JobTrace& trace, const JobOptions& options,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::uint32_t>& capacities,
                                             std::uint32_t ports, Time end);

/// The port of each rank, from the options or the trace; otherwise rank r is at port r. Throws UserError if
/// the option does not give one port per rank.
std::vector<std::uint32_t> ports_of_ranks(const JobTrace& trace, const ReplayOptions& options);
/// The largest port plus one.
std::uint32_t count_ports(const std::vector<std::uint32_t>& ports);

}  // namespace hybrid
