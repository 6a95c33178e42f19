// What hints are worth to a job: its time on wormhole, and on the hybrid switch with prediction alone, with
// hints alone and with both.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// The ways in which the job is emulated, in the order of HintWorth::ways.
///  - wormhole: no circuits.
///  - prediction: `hybrid` with the predictor of the options, told of no phases, nothing preloaded.
///  - hints: `hybrid` without predictor; when a phase begins, all K slots are loaded with what the hints tell
///    of it, and those that are left over stay empty.
///  - both: the same slots; those that are left over are the predictor's, which is told of the phases.
inline constexpr std::array<std::string_view, 4> kWorthWays{"wormhole", "prediction", "hints", "both"};

struct HintWorth {
  struct Way {
    bool is_known = false;  // false: there are no hints
    Time time{};            // of the job
    double hit_rate = 0;
  };
  Time reconfiguration{}, slot_length{};
  std::array<Way, kWorthWays.size()> ways;
};

/// One job's.
struct JobWorth {
  std::string trace;
  std::uint32_t ranks = 0;
  std::uint64_t messages = 0;         // between ports
  std::uint64_t messages_hinted = 0;  // of which over connections that the hints tell of their phase
  std::vector<std::string> notes;     // why there are no hints, or which phases they do not know wholly
  std::vector<HintWorth> at;          // by reconfiguration
};

/// Emulates the job on `options.network` (whose slots, predictor and all but technique, preload,
/// reconfiguration and slot_length are taken) at each of the reconfigurations. A slot lasts at least ten
/// times as long as the reconfiguration. Hints are those of `options.hints`, recorded ones where that is
/// empty. Throws UserError for impossible parameters, and UnfinishedReplay.
JobWorth hint_worth(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                    const std::vector<Time>& reconfigurations, const ProgressNote& note);

/// A table of jobs: a row a job and reconfiguration. Notes stand below.
std::string worth_text(const std::vector<JobWorth>& jobs);

}  // namespace hybrid
