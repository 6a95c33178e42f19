// Advice for a recorded job: the technique and configuration that suit it, found by a search with emulations
// of the whole job (design_search.h), and the smallest packet plane with which a hybrid switch is about as
// fast as a packet switch (packet_share.h).
//
//   Advice advice = advise("hybrid-my_app-1", open, options, {}, {});
//   puts(to_text(advice).c_str());
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libhybrid/report/comparison.h"
#include "libhybrid/report/design_space.h"
#include "libhybrid/report/job_emulator.h"
#include "libhybrid/report/packet_share.h"
#include "libhybrid/report/verdict.h"
#include "libhybrid/report/verdict_limits.h"

namespace hybrid {

struct AdviceRequest {
  OptionSet named;  // options that the user gives, and the search does not change
  /// Most emulations, those of bounds and shares included. At least kLeastBudget.
  std::size_t budget = 300;
  std::vector<Time> reconfigurations;  // of the table of shares; empty: no table
  double within = 0.05;                // of wormhole's job time
  /// Whether to end the search now; may be empty. It makes the result depend on more than trace and options.
  std::function<bool()> expired;
};
inline constexpr std::size_t kLeastBudget = 20;

/// Job times along one dimension, the others as in the configuration.
struct Sensitivity {
  std::string_view option;
  struct Value {
    std::string text;
    std::optional<Time> time;  // nothing: impossible, ten times wormhole's, or not emulated
    bool is_chosen = false;
  };
  std::vector<Value> values;  // at least two
};

/// The best configuration of a technique.
struct AdvisedTechnique {
  TechniqueResult result;
  SwitchParameters parameters;
  std::vector<Sensitivity> sensitivities;
  bool is_complete = true;  // false: the budget or the time ended the search
  std::string repeat;       // the command that repeats the emulation
};

/// The recommended configuration with another placement of the ranks.
struct AdvisedPlacement {
  std::string name;          // RankPlacement::name
  std::optional<Time> time;  // nothing: as Sensitivity::Value
  std::string repeat;        // the command that repeats the emulation
};

struct Advice {
  std::string trace;
  std::uint32_t ranks = 0, ports = 0;
  /// By job time. Wormhole is among them as a reference, even if others are named.
  std::vector<AdvisedTechnique> techniques;
  std::size_t recommended = 0;        // index of the technique; if there is none, `verdict` says why
  std::vector<std::string> failures;  // techniques without result, with the reason
  std::vector<std::string> left_out;  // techniques that the network does not support
  JobBounds bounds;
  Verdict verdict;
  VerdictLimits limits;
  std::vector<PacketShare> shares;  // by reconfiguration
  /// Placements that were tried; none if all are equal, if the options give one, if the recorded one is that
  /// by traffic, or if the budget or the time was spent before.
  std::vector<AdvisedPlacement> placements;
  bool has_equal_placements = false;
  std::size_t emulations = 0, budget = 0;
  double within = 0;

  const AdvisedTechnique* find(std::string_view technique) const;
  /// The recommended technique if it has dimensions, else the fastest one that has; nullptr: none has.
  const AdvisedTechnique* varied() const;
};

/// Searches for the best configuration of each technique of techniques_to_search(): the fastest, then
///  - the smallest share of a packet plane with which the job takes at most kTie longer, as a plane costs
///  money;
///  - the smallest K and then the first predictor (none, timeout, ...) with which it takes at most kLeastGap
///    longer, as shorter times are no reason for hardware.
/// Configurations with which the job takes more than ten times as long as with wormhole count as impossible.
/// The recommended technique is that of judge(): the simplest within kTie; wormhole if the gap to `ideal` is
/// less than kTie. The result depends on trace, options and request, not on threads. Throws UserError for
/// impossible parameters and for a trace that no technique can complete.
Advice advise(const std::string& trace, const TraceOpener& open, const JobOptions& options,
              const AdviceRequest& request, const ProgressNote& note);

}  // namespace hybrid
