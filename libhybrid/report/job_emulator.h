// JobEmulator: emulates one recorded job with many parameters, several at a time.
//
//   JobEmulator job("hybrid-my_app-1", open, options);
//   job.find_phases({});
//   const auto results = job.emulate({job.parameters("wormhole", 4), job.parameters("hybrid", 4)}, {});
//   if (results[0].measures) print(results[0].measures->time);
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
#include "emulator/replay/phase_hints.h"
#include "emulator/replay/phase_preload.h"
#include "emulator/replay/replay.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

/// Result of an emulation.
struct EmulatedRun {
  std::optional<Measures> measures;  // nothing: the emulation did not reach the end of the job
  std::string failure;               // then the reason, in one line
  CallWaits call_waits;
  bool of_trace = false;  // then whether the operations of the trace do not match
  std::vector<std::string> warnings;
};

/// Emulates `runs` of a job, each with its own pass over the trace, on as many threads as `threads` (0: one
/// for each processor). The options may depend on the run. Results are in the order of the runs and do not
/// depend on the threads. `what`: the progress names a single run so; it counts several. `operations`: of the
/// job, if known, for the time left; if the progress is shown, the first hundredth of the job is emulated
/// before, to estimate the time of all. Throws UserError for invalid parameters.
std::vector<EmulatedRun> emulate_runs(const TraceOpener& open, const std::vector<SwitchParameters>& runs,
                                      const std::function<ReplayOptions(std::size_t run)>& options,
                                      unsigned threads, std::string_view what, const ProgressNote& note,
                                      std::uint64_t operations = 0);

class JobEmulator {
 public:
  /// Reads the definitions of the trace. `open` must accept concurrent calls. Throws UserError for a
  /// placement that does not fit.
  JobEmulator(std::string trace, TraceOpener open, const JobOptions& options);

  /// Reads the operations into memory, if they fit (StoredJob), for all passes that follow. Nothing if it was
  /// called before.
  void store(const ProgressNote& note);

  /// Calls store(). A pass over the sends (up to three with hints), after which the job can be emulated;
  /// nothing if it was called before. Throws UserError for hints or a topology that do not fit the job.
  void find_phases(const ProgressNote& note);

  const std::string& trace() const { return trace_; }
  const TraceOpener& opener() const { return open_; }
  /// As given, except that a preset with a slot for every destination follows the number of ports.
  const JobOptions& options() const { return options_; }
  std::uint32_t ranks() const { return ranks_; }
  const std::vector<std::uint32_t>& port_of_rank() const { return placement_; }
  std::uint32_t used_ports() const { return used_ports_; }  // with at least one rank
  std::uint32_t ports() const { return ports_; }            // of the network
  const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }

  // Requires: find_phases() was called.
  const FoundPhases& phases() const { return phases_; }
  std::uint64_t operations() const { return operations_; }  // of the job, on all ranks
  /// By the largest phase, without its rare connections; 0: no message crosses the switch.
  std::uint32_t slots_needed() const;
  /// Whether the job recorded hints that the options do not mention. Parameters with `preload` = K use them.
  bool offers_hints() const { return options_.hints.empty() && !hints_.phases.empty(); }
  /// Phases for which the hints are incomplete, one line each.
  const std::vector<std::string>& hint_gaps() const { return hint_gaps_; }
  /// Share of the bytes over the connections of the preloaded topology; nothing: there is none.
  std::optional<double> topology_share() const { return topology_share_; }

  /// Parameters of the options with this technique, K slots and the job's ports. Not checked.
  SwitchParameters parameters(const std::string& technique, std::uint32_t slots) const;

  /// Ends later emulations whose job takes longer (ReplayOptions::limit).
  void end_after(Time limit) { options_.replay.limit = limit; }

  /// Emulates all `runs` with options().threads. `timeline`, if any, observes them; then there must be one.
  std::vector<EmulatedRun> emulate(const std::vector<SwitchParameters>& runs, std::string_view what,
                                   const ProgressNote& note, PortTimeline* timeline = nullptr) const;

 private:
  ReplayOptions replay_options(const SwitchParameters& parameters, PortTimeline* timeline) const;

  std::string trace_;
  TraceOpener open_;
  JobOptions options_;
  std::vector<std::uint32_t> placement_;
  std::uint32_t ranks_ = 0, used_ports_ = 0, ports_ = 0;
  std::vector<std::pair<std::string, std::string>> facts_;

  bool stored_ = false;
  bool phases_known_ = false;
  std::uint64_t operations_ = 0;  // of the job, once the phases are known
  FoundPhases phases_;
  PhaseSchedule schedule_;
  PhaseTraffic traffic_;
  PhaseHints hints_;
  PhaseNesting nesting_;
  std::vector<std::string> hint_gaps_;
  std::vector<Configuration> fixed_preload_;
  std::optional<double> topology_share_;
};

/// The job on the bounds, all emulated but those among the `known` results. Nothing for a bound whose
/// emulation did not reach the end of the job. `emulate`: emulates the runs, which are `network` with another
/// technique.
JobBounds emulate_bounds(
    const SwitchParameters& network, const std::vector<TechniqueResult>& known,
    const std::function<std::vector<EmulatedRun>(const std::vector<SwitchParameters>& runs)>& emulate);
JobBounds emulate_bounds(const JobEmulator& job, const std::vector<TechniqueResult>& known,
                         const ProgressNote& note);

/// The text of an error without line breaks.
std::string in_one_line(const std::string& text);

/// "hybrid, K = 4".
std::string run_name(const SwitchParameters& parameters);

}  // namespace hybrid
