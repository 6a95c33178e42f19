// Report on a recorded job: facts, phases, predictor scores, measures of techniques, and a verdict. It is
// made from a trace alone; report_text.h and report_json.h convert it to text and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/measures.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/replay.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/job_emulator.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/slots_search.h"
#include "libhybrid/report/verdict.h"
#include "libhybrid/report/verdict_limits.h"
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

/// A technique whose emulation did not reach the end of the job, and therefore has no measures.
struct TechniqueFailure {
  std::string technique;
  std::uint32_t slots = 0;  // 0 for a technique without slots
  std::string reason;       // one line
  bool of_trace = false;    // true: the operations of the trace do not match; false: the technique failed
};

/// A call of MPI in the program's source, and what it sends through the switch.
struct CallTraffic {
  SourceCall call;
  Volume sent;
};

struct JobReport {
  std::string trace;      // path as given by the user
  std::string directory;  // that has no other trace, and replaces it in commands; "" if not known
  JobFacts job;
  bool phases_hinted = false;  // false: found from the sends
  std::vector<Phase> phases;
  /// Those that send or wait, by the longest wait of the techniques; empty if the trace has no call sites.
  std::vector<CallTraffic> calls;
  std::vector<PredictorScore> predictors;   // one per predictor and K, summed over source ports
  std::vector<TechniqueResult> techniques;  // those that reached the end of the job
  std::vector<TechniqueFailure> failures;
  JobBounds bounds;
  Verdict verdict;
  VerdictLimits limits;  // also sentences of the verdict
  /// If a fixed topology is preloaded: the share of the job's bytes over its connections.
  std::optional<double> topology_share;
  std::vector<SlotsFound> slots_found;  // with JobOptions::finds_slots: K of each technique with slots
  std::vector<std::string> warnings;    // such as lost events or ranks that died; one line each
  std::vector<std::string> left_out;    // techniques of the default that the network does not support
  JobOptions options;
};

/// Makes a report with two passes over the sends and one emulation per technique and K, one per bound, up to
/// two with longer worms, and, with JobOptions::explain, up to two per technique and K that divide its wait
/// for the network; several run at a time (JobOptions::threads), so that `open` must accept
/// concurrent calls. `note` may be empty. The same trace and options give the same report. Throws UserError
/// for impossible parameters, and exceptions of the trace. A technique that does not reach the end of the job
/// is listed in JobReport::failures.
JobReport make_report(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                      const ProgressNote& note);
JobReport make_report(const std::string& trace, const JobOptions& options, const ProgressNote& note);
/// The same of a job that may be emulated further afterwards: its phases are known then.
JobReport make_report(JobEmulator& job, const ProgressNote& note);

/// The techniques of the default, if they run on the network of the options, or those that do not. Empty if
/// the options name techniques.
std::vector<std::string> default_techniques(const JobOptions& options, bool supported);

/// Replaces the sentence of a verdict without a technique if messages of the job are not recorded.
void admit_missing_messages(Verdict& verdict, const JobFacts& job);

/// "left out: circuit does not run on a fat tree". `techniques` is not empty.
std::string left_out_sentence(const std::vector<std::string>& techniques);

/// One line per reason: "tdm with K = 4, circuit: rank 1 waits forever ...". Empty without failures.
std::vector<std::string> failure_lines(const JobReport& report);

/// Appends the failed techniques to the sentence of the verdict.
void add_to_verdict(JobReport& report);

/// Message for the user after the report is written.
struct FailureText {
  std::string text;       // "" without failures
  bool of_trace = false;  // the cause of all failures is the trace
};
FailureText failures_of(const JobReport& report);

}  // namespace hybrid
