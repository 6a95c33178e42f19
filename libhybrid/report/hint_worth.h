// Comparison of hints and prediction for a job: its time with wormhole, and with the hybrid switch with
// prediction only, with hints only, with both, and with neither. Their value is the ratio of the job time to
// that with neither: a hit rate does not show what a hit is worth.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// The variants in which the job is emulated, in the order of HintWorth::variants.
///  - wormhole: no circuits.
///  - prediction: `hybrid` with the predictor of the options, without phases and preloads.
///  - hints: `hybrid` without predictor. When a phase begins, its hinted connections are loaded into the K
///  slots;
///    the other slots stay empty.
///  - both: as hints, but the predictor uses the other slots and is notified of the phases.
///  - none: `hybrid` with predictor none, without phases and preloads: circuits are established on demand.
inline constexpr std::array<std::string_view, 5> kWorthVariants{"wormhole", "prediction", "hints", "both",
                                                                "none"};

/// Results with one reconfiguration time.
struct HintWorth {
  struct Variant {
    bool is_known = false;  // false: there are no hints
    Time time{};            // of the job
    double hit_rate = 0;
    std::optional<double> gap_closed;  // as in TechniqueResult, as are these:
    std::optional<Time> rank_wait, network_wait;
    std::optional<WaitParts> wait_parts;  // with options.explain
  };
  Time reconfiguration{}, slot_length{};
  std::array<Variant, kWorthVariants.size()> variants;

  /// Job time of a known variant / that of `none` (0.9: 10 % less).
  double time_ratio(const Variant& variant) const;
};

/// Results of one job.
struct JobWorth {
  std::string trace;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;            // ports of the switch
  std::uint64_t messages = 0;         // between ports
  std::uint64_t messages_hinted = 0;  // those over connections that are hinted for their phase
  std::vector<std::string> notes;     // the reason for missing hints, and phases with incomplete hints
  JobBounds bounds;                   // the same with all reconfigurations
  std::vector<HintWorth> at;          // by reconfiguration
};

/// Emulates the job, several variants at a time (`open` must accept concurrent calls), on options.network
/// with each of the reconfiguration times. The function sets technique, preload, reconfiguration and
/// slot_length itself; slots are at least as long as --fabric makes them (emulator/fabric.h). Hints are those
/// of options.hints, or the recorded ones if that is empty. Throws UserError for impossible parameters, and
/// UnfinishedReplay. Three emulations more find the bounds. With options.explain, up to three for each
/// variant divide its wait for the network.
JobWorth hint_worth(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                    const std::vector<Time>& reconfigurations, const ProgressNote& note);

/// At most `width` columns wide: for each job a table with a row per reconfiguration and variant, one of the
/// parts of the waits if they are known, the notes, and the bounds.
std::string worth_text(const std::vector<JobWorth>& jobs, std::size_t width);

}  // namespace hybrid
