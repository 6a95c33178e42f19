#include "libhybrid/report/job_emulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "emulator/network_shape.h"
#include "emulator/traffic/topology_map.h"

namespace hybrid {

namespace {

// Adapts the switch to the number of ports. Preset ch8 has a slot for every destination (D 8.5), which the
// options could not set before the number of ports was known.
void follow_ports(JobOptions& options, std::uint32_t ports) {
  SwitchParameters& p = options.network;
  const bool every_destination =
      p.slots + 1 == p.nodes && p.preload == p.slots && options.slot_counts.empty();
  p.nodes = ports;
  if (every_destination) preload_every_destination(p);
}

// Progress of several emulations at once: the operations of all, and how many have ended.
class CommonProgress {
 public:
  CommonProgress(std::size_t runs, std::uint64_t operations, std::string_view what, const ProgressNote& note)
      : done_(runs), operations_(operations), what_(what), note_(note) {}

  /// Returns whether it is shown.
  bool show(std::size_t run, std::uint64_t done, double estimate = 0) {
    if (!note_) return false;
    const std::lock_guard lock(mutex_);
    add(run, done);
    Progress progress{sum_, done_.size() * operations_};
    progress.estimate = estimate;
    if (!seconds_.empty())
      progress.share = std::min(1.0, seconds_done_ / std::reduce(seconds_.begin(), seconds_.end()));
    return note_(text(), progress);
  }
  /// Estimates of the time that each run takes, of which one operation may take longer than another's. To be
  /// called before operations are done; without effect if one is 0, that is, not known.
  void weigh(std::vector<double> seconds) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(seconds, 0.0) == seconds.end()) seconds_ = std::move(seconds);
  }
  /// The run has ended, also one that failed before its last operation.
  void end(std::size_t run) {
    const std::lock_guard lock(mutex_);
    add(run, std::max(done_[run], operations_));  // all, of which it may have had fewer
    ++ended_;
  }

 private:
  void add(std::size_t run, std::uint64_t done) {
    const std::uint64_t added = done - std::exchange(done_[run], done);
    sum_ += added;
    if (!seconds_.empty())
      seconds_done_ += seconds_[run] * static_cast<double>(added) / static_cast<double>(operations_);
  }
  std::string text() const {
    return done_.size() == 1 ? what_ : fmt::format("{}, {} of {} done", what_, ended_, done_.size());
  }

  std::mutex mutex_;
  std::vector<std::uint64_t> done_;     // by run
  std::uint64_t sum_ = 0, operations_;  // of a run
  std::vector<double> seconds_;         // by run; empty: not known
  double seconds_done_ = 0;
  std::size_t ended_ = 0;
  std::string what_;
  const ProgressNote& note_;
};

}  // namespace

std::vector<EmulatedRun> emulate_runs(const TraceOpener& open, const std::vector<SwitchParameters>& runs,
                                      const std::function<ReplayOptions(std::size_t run)>& options,
                                      unsigned threads, std::string_view what, const ProgressNote& note,
                                      std::uint64_t operations) {
  std::vector<EmulatedRun> results(runs.size());
  CommonProgress progress(runs.size(), operations, what, note);
  if (threads == 0) threads = processors();
  if (operations != 0 && !runs.empty() && progress.show(0, 0)) {
    std::vector<double> seconds(runs.size());
    run_parallel(runs.size(), threads, [&](std::size_t i) {
      const auto job = open();
      ReplayOptions sample = options(i);
      sample.timeline = nullptr;
      seconds[i] = estimate_seconds([&](const auto& report) {
        sample.progress = [&](std::uint64_t done) {
          progress.show(i, 0);
          report(done, operations);
        };
        replay(*job, runs[i], sample);
      });
    });
    const double all = std::reduce(seconds.begin(), seconds.end()) / std::min<double>(threads, runs.size());
    progress.weigh(std::move(seconds));
    progress.show(0, 0, all);
  }
  run_parallel(runs.size(), threads, [&](std::size_t i) {
    progress.show(i, 0);
    ReplayOptions replay_options = options(i);
    replay_options.progress = [&](std::uint64_t done) { progress.show(i, done); };
    const auto job = open();
    try {
      ReplayResult replayed = replay(*job, runs[i], replay_options);
      if (!uses_slots(runs[i].technique)) replayed.measures.slots = 0;
      results[i].measures = std::move(replayed.measures);
      results[i].call_waits = std::move(replayed.call_waits);
      results[i].warnings = std::move(replayed.warnings);
    } catch (const UnfinishedReplay& error) {
      results[i].failure = in_one_line(error.what());
      results[i].of_trace = error.fault() == UnfinishedReplay::Fault::trace;
    } catch (const std::logic_error& error) {  // a defect of the emulator: name the run among the others
      const SwitchParameters& p = runs[i];
      throw RunError(fmt::format("{}, slot length {}, predictor {}, packet plane {}, reconfiguration {}: {}",
                                 run_name(p), to_string(p.slot_length), p.predictor, p.packet_plane,
                                 to_string(p.fabric_reconfiguration()), error.what()),
                     "This is a fault of libhybrid: please report it with the trace.");
    }
    progress.end(i);
  });
  return results;
}

JobEmulator::JobEmulator(std::string trace, TraceOpener open, const JobOptions& options)
    : trace_(std::move(trace)), open_(std::move(open)), options_(options) {
  const auto trace_of_job = open_();
  placement_ = ports_of_ranks(*trace_of_job, options.replay);
  ranks_ = trace_of_job->ranks();
  used_ports_ =
      static_cast<std::uint32_t>(std::set<std::uint32_t>(placement_.begin(), placement_.end()).size());
  facts_ = trace_of_job->properties();
  SwitchParameters fitted = options.network;
  fit_nodes(count_ports(placement_), fitted, options.replay.crossbar);
  ports_ = fitted.nodes;
  follow_ports(options_, ports_);
}

void JobEmulator::store(const ProgressNote& note) {
  if (stored_) return;
  stored_ = true;
  open_ = stored(open_, options_.threads, note);
}

void JobEmulator::find_phases(const ProgressNote& note) {
  if (phases_known_) return;
  store(note);
  const bool fixed = !options_.preload_topology.empty(), by_hints = options_.preloads_hints();
  if (fixed) check_topology(options_.preload_topology, options_.network);
  TrafficMatrix matrix;
  CountedTrace trace(open_(), "finding phases", note);
  phases_ = hybrid::find_phases(trace, options_.replay, ports_,
                                options_.network.preload == 0 || fixed || by_hints ? nullptr : &traffic_,
                                fixed ? &matrix : nullptr);
  operations_ = trace.operations();
  const TraceOpener open_noted = [&] {
    return std::make_unique<CountedTrace>(open_(), "reading hints", note);
  };
  if (by_hints) {
    hints_ = hints_of(options_.hints, trace_, open_noted, phases_);
    hint_gaps_ = gaps_of(hints_, phases_.phases);
  } else if (options_.hints.empty() && phases_.hinted && options_.network.preload == 0 && !fixed) {
    hints_ = read_recorded_hints(*open_noted());
  }
  if (!hints_.phases.empty()) nesting_ = read_phase_nesting(*open_noted());
  if (fixed) {
    TopologyPlan plan = plan_topology(*FixedTopologyRegistration::make(options_.preload_topology, ports_),
                                      matrix, options_.network.preload);
    topology_share_ = plan.share();
    fixed_preload_ = std::move(plan.slots);
  }
  schedule_.occurrences = phases_.occurrences;
  if (!phases_.hinted)
    for (const Phase& phase : phases_.phases) schedule_.names.push_back(phase.name);
  phases_known_ = true;
}

std::uint32_t JobEmulator::slots_needed() const {
  std::uint32_t most = 0;
  for (const Phase& phase : phases_.phases) most = std::max(most, phase.slots_without_rare);
  return most;
}

SwitchParameters JobEmulator::parameters(const std::string& technique, std::uint32_t slots) const {
  SwitchParameters p = options_.network;
  p.technique = technique;
  p.slots = slots;
  fit_nodes(ports_, p, options_.replay.crossbar);
  if (options_.preloads_hints() && options_.network.preload == 0 && uses_slots(technique)) p.preload = slots;
  return p;
}

ReplayOptions JobEmulator::replay_options(const SwitchParameters& p, PortTimeline* timeline) const {
  ReplayOptions options = options_.replay;
  if (!hints_.phases.empty())
    options.preloads = plan(hints_, nesting_, placement_, ports_, p.preload);
  else if (p.preload != 0)
    options.preloads = traffic_.plan(*open_(), ports_, p.preload);
  options.fixed_preload = fixed_preload_;
  options.phases = schedule_;
  options.timeline = timeline;
  return options;
}

std::vector<EmulatedRun> JobEmulator::emulate(const std::vector<SwitchParameters>& runs,
                                              std::string_view what, const ProgressNote& note,
                                              PortTimeline* timeline) const {
  return emulate_runs(
      open_, runs, [&](std::size_t run) { return replay_options(runs[run], timeline); }, options_.threads,
      what, note, operations_);
}

JobBounds emulate_bounds(
    const SwitchParameters& network, const std::vector<TechniqueResult>& known,
    const std::function<std::vector<EmulatedRun>(const std::vector<SwitchParameters>& runs)>& emulate) {
  JobBounds bounds;
  const std::pair<const char*, std::optional<BoundTimes>*> all[] = {
      {"no-network", &bounds.no_network}, {"uncontended", &bounds.uncontended}, {"ideal", &bounds.ideal}};
  const auto set = [](std::optional<BoundTimes>& bound, const Measures& m, const CallWaits& waits) {
    bound = {m.time, m.communication_time, waits};
  };
  std::vector<SwitchParameters> runs;
  std::vector<std::optional<BoundTimes>*> missing;
  for (const auto& [technique, bound] : all) {
    if (const TechniqueResult* result = find_technique(known, technique)) {
      set(*bound, result->measures, result->call_waits);
    } else {
      runs.emplace_back(network).technique = technique;
      missing.push_back(bound);
    }
  }
  const auto results = emulate(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const auto& measures = results[i].measures) set(*missing[i], *measures, results[i].call_waits);
  return bounds;
}

JobBounds emulate_bounds(const JobEmulator& job, const std::vector<TechniqueResult>& known,
                         const ProgressNote& note) {
  return emulate_bounds(job.parameters("ideal", job.options().network.slots), known,
                        [&](const auto& runs) { return job.emulate(runs, "emulating the bounds", note); });
}

std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    line += line.ends_with('.') ? " " : ". ";
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
  }
  return line;
}

std::string run_name(const SwitchParameters& p) {
  return uses_slots(p.technique) ? fmt::format("{}, K = {}", p.technique, p.slots) : p.technique;
}

}  // namespace hybrid
