// Claims of the papers, reproduced. A claim is one file and registers itself under its name ("C5").
//
// A claim runs the emulator with the stated parameters and reports the result, whether or not it agrees with
// the paper. On the two models nothing is tuned per claim: parameters come from the presets
// (D 4.6, 5.5.1, 8.5) and from the text of the claim. If the text leaves a parameter open, `choices` states
// the value used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "emulator/claims/figure.h"
#include "emulator/parameters.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {

/// A reading of the papers: the switch and the traffic on which a claim runs.
struct ClaimModel {
  std::string name;  // "ours", "dissertation", or the options of a reading: "--demand-guard off"
  bool dissertation = false;
  /// Of a reading: what the text leaves open, and the change. Readings are found by looking at the outcome.
  std::string open;
  std::function<void(SwitchParameters&, TrafficOptions&)> change;
  bool contradicts = false;           // of a reading: the text says otherwise
  std::uint32_t most_tree_ports = 0;  // of a reading: up and down of the largest switch of a fat tree; 0: any

  /// Sets the options of the model; keeps all others.
  void apply(SwitchParameters& parameters, TrafficOptions& traffic) const;
};
/// The two models (`--model`), and a reading of the dissertation's.
ClaimModel our_model();
ClaimModel dissertation_model();
ClaimModel reading(std::string options, std::string open,
                   std::function<void(SwitchParameters&, TrafficOptions&)> change, bool contradicts = false);

/// Amount of work and number of threads. The result does not depend on the threads.
struct ClaimContext {
  ClaimModel model = our_model();
  std::uint64_t seed = 1;
  unsigned repeats = 5;  // a point is the mean of runs with seeds seed, seed + 1, ...
  unsigned threads = 1;
  std::string traces = {};  // directory with the recorded jobs of examples/traces (*.tar.xz)
  /// Optional. A run has steps, each of which begins with 0 done of all its emulations. Calls do not overlap.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

/// Calls job(0) ... job(count - 1) on `context.threads` threads and reports the progress. Rethrows the
/// exception of the first job that failed, after all jobs have ended.
void run_jobs(const ClaimContext& context, std::size_t count, const std::function<void(std::size_t)>& job);

/// One statement of a claim.
struct ClaimCheck {
  std::string statement;  // the condition
  bool holds = false;
  std::string figures;  // the measured values that decide it; "at 2 of 9 points, ...", if it fails there
  /// If it cannot hold: why no switch with these parameters and this traffic satisfies it.
  std::string impossible = {};
};

struct ClaimResult {
  std::vector<Figure> figures;
  std::vector<ClaimTable> tables;
  std::vector<ClaimCheck> checks;
  std::vector<std::string> choices;  // parameters that the text leaves open
  /// Reasons for checks that do not hold, shown only if one does not. Several models may have the same.
  std::vector<std::string> explanation;

  bool holds() const { return !checks.empty() && failing() == 0; }
  /// The number of statements that do not hold, and of those of them that cannot.
  std::size_t failing() const {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(), [](const ClaimCheck& c) { return !c.holds; }));
  }
  std::size_t impossible() const {
    return static_cast<std::size_t>(std::count_if(
        checks.begin(), checks.end(), [](const ClaimCheck& c) { return !c.holds && !c.impossible.empty(); }));
  }
};

class Claim {
 public:
  static constexpr std::string_view kKind = "claim";
  virtual ~Claim() = default;
  /// The place in the papers ("D 4.6.1").
  virtual std::string_view place() const = 0;
  virtual ClaimResult run(const ClaimContext& context) const = 0;
  /// Whether the two models of the switch differ here. Otherwise it runs once.
  virtual bool has_models() const { return true; }
  /// Whether it reads the recorded jobs of ClaimContext::traces.
  virtual bool reads_traces() const { return false; }
  /// Readings of the dissertation's model where its text is silent.
  virtual std::vector<ClaimModel> readings() const { return {}; }
};

using ClaimRegistration = Registration<Claim>;

}  // namespace hybrid
