// Several recordings of one job: the spread of its job times, and a verdict that respects it.
//
// A recording has the times of one run. Another run of the same program on the same machine computes for
// another time and in another order, and so has another job time on every technique. Within a recording the
// techniques see the same run: they are compared by the time ratio there, which varies less than the job
// times.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "libhybrid/report/job_report.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

/// Median and extremes of a value over the recordings.
struct Spread {
  double median = 0, least = 0, most = 0;
};
/// Requires: `values` is not empty. The median of an even number of values is the mean of the middle two.
Spread spread_of(std::vector<double> values);

struct RepeatedTechnique {
  std::string technique;
  std::uint32_t slots = 0;  // 0: without slots
  Spread time_ns;           // job time
  Spread time_ratio;        // job time / that of `reference` in the same recording
  // As in TechniqueResult; nothing unless known of all recordings.
  std::optional<Spread> gap_closed, network_wait_ns, rank_wait_ns;
};

struct RepeatedReport {
  std::vector<JobReport> runs;                // at least 2
  std::string reference;                      // "wormhole", or the first technique
  std::vector<RepeatedTechnique> techniques;  // those that reached the end in all runs
  // Job times of the bounds; nothing unless known of all recordings.
  std::optional<Spread> no_network_ns, uncontended_ns, ideal_ns;
  std::string technique;  // that the verdict names; "" if there is no verdict
  std::uint32_t slots = 0;
  std::string sentence;
};

/// Compares the recordings. Of the techniques whose median ratio is within 1 % (kTie) of the least, the
/// verdict names the simplest (is_simpler) that is faster than the reference by more than 1 % in every
/// recording. It names the reference if every other technique is slower than it, or at most 1 % faster, in
/// every recording. Otherwise the difference is within the spread, and there is no verdict. Throws UserError
/// if the recordings have different numbers of ranks or no technique in common.
RepeatedReport compare_repeats(std::vector<JobReport> runs);

std::string to_text(const RepeatedReport& report, std::size_t width = kTextWidth);
/// {"runs": [the report of each], "repeats": {...}}
nlohmann::ordered_json to_json(const RepeatedReport& report);

}  // namespace hybrid
