// What a hybrid switch would do for one recorded job: facts, phases, predictors, techniques, and a verdict.
// Made from a trace alone; text (report_text.h) and JSON (report_json.h) are two views of it.
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
  std::uint32_t ports = 0;                                    // that the ranks are placed on
  std::vector<std::pair<std::string, std::string>> recorded;  // every fact that the trace carries
  /// The value of a recorded fact, "" where there is none.
  std::string_view find(std::string_view name) const;
};

/// A technique emulated on the job, and how it stands to wormhole.
struct TechniqueResult {
  Measures measures;
  double time_ratio =
      0;  // wormhole's job time / this job time (2: twice as fast); 0 where wormhole was not emulated
  double communication_ratio = 0;  // likewise of the communication time
};

/// A technique whose emulation did not come to the job's end: it has no measures.
struct TechniqueFailure {
  std::string technique;
  std::uint32_t slots = 0;  // 0 where the technique has none
  std::string reason;       // one line
  bool of_trace = false;    // the trace's operations do not fit together; else the technique failed
};

struct JobReport {
  std::string trace;  // as given
  JobFacts job;
  bool phases_hinted = false;  // else found from the sends
  std::vector<Phase> phases;
  std::vector<PredictorScore> predictors;   // one per predictor and K, summed over source ports
  std::vector<TechniqueResult> techniques;  // those that came to the job's end
  std::vector<TechniqueFailure> failures;
  Verdict verdict;
  /// Where a fixed topology is preloaded: the part of the job's bytes whose connections it holds.
  std::optional<double> topology_share;
  std::vector<std::string>
      warnings;  // what the numbers do not cover: lost events, ranks that died; one line each
  JobOptions options;
};

/// Opens the trace anew: every pass over a job reads it front to back.
using TraceOpener = std::function<std::unique_ptr<JobTrace>()>;

/// Told what is being done now, and how many operations of it are done.
using ProgressNote = std::function<void(std::string_view what, std::uint64_t done)>;

/// Two passes over the sends and one emulation per technique and K. `note` may be empty. Throws UserError for
/// impossible parameters, and what the trace throws; a technique that does not come to the job's end is among
/// the failures. Same trace and options: same report.
JobReport make_report(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                      const ProgressNote& note);
JobReport make_report(const std::string& trace, const JobOptions& options, const ProgressNote& note);

/// The phases of a job alone, hinted where the program said them, else found from the sends (`hinted` says
/// which). A hinted phase carries the sends made inside it; those outside any are a phase of their own.
struct FoundPhases {
  bool hinted = false;
  std::vector<Phase> phases;
  std::vector<PhaseOccurrence> occurrences;  // of those found from the sends
  Time end{};                                // of the last send
};
/// What the hinted ones send is added to `traffic`, unless that is null; what all of the job sends to
/// `matrix`.
FoundPhases find_phases(JobTrace& trace, const ReplayOptions& options, std::uint32_t ports,
                      PhaseTraffic* traffic = nullptr, TrafficMatrix* matrix = nullptr);

/// Scores predictors on a job's sends: one evaluation per source port, summed. Rows in the order of `names`,
/// then of `capacities` (0: no limit).
std::vector<PredictorScore> score_predictors(JobTrace& trace, const JobOptions& options,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::uint32_t>& capacities,
                                             std::uint32_t ports, Time end);

/// The port of each rank (rank r at port r where neither options nor trace say otherwise), and how many ports
/// there are: one more than the largest. Throws UserError when the option does not give one port per rank.
std::vector<std::uint32_t> ports_of_ranks(const JobTrace& trace, const ReplayOptions& options);
std::uint32_t count_ports(const std::vector<std::uint32_t>& ports);

}  // namespace hybrid
