#include "emulator/replay/job_phases.h"

#include <algorithm>

namespace hybrid {
namespace {

WorkingSetStore make_store(const PhasePreloads& preloads) {
  std::size_t slots = 0, ports = 0;
  for (const auto& [name, set] : preloads) {
    slots = std::max(slots, set.size());
    for (const Configuration& configuration : set) ports = configuration.ports();
  }
  WorkingSetStore store(static_cast<std::uint32_t>(ports), static_cast<std::uint32_t>(slots));
  for (const auto& [name, set] : preloads) store.store(name, set);
  return store;
}

}  // namespace

JobPhases::JobPhases(const JobTrace& trace, const ReplayOptions& options, Technique& technique,
                     const std::vector<std::uint32_t>& placement, const JobEvents& events)
    : trace_(trace),
      options_(options),
      technique_(technique),
      placement_(placement),
      events_(events),
      locations_(trace.locations().size()),
      working_sets_(make_store(options.preloads)) {
  for (const std::string& name : options.phases.names) account_.add(name);
  if (!has_schedule())
    account_.add(std::string(kOutsidePhases));
  else
    for (Location& phases : locations_) phases.measured = options.phases.occurrences.front().phase;
}

void JobPhases::preload_fixed() {
  for (std::uint32_t slot = 0; slot < options_.fixed_preload.size(); ++slot)
    technique_.preload(events_.now(), slot, options_.fixed_preload[slot]);
}

void JobPhases::flush(const JobLocation& location) {
  technique_.flush(events_.now(), placement_[location.rank]);
  working_sets_.flushed();
  preload_fixed();
}

void JobPhases::set_measured(Location& phases, const JobLocation& location, std::uint32_t phase) {
  if (phase == phases.measured) return;
  account_.time(phases.measured, location.now - phases.measured_since);
  phases.measured = phase;
  phases.measured_since = location.now;
}

/// The location is in the phase of the schedule in which its operation began, as recorded.
void JobPhases::enter_scheduled(LocationHandle handle, const JobLocation& location) {
  const std::vector<PhaseOccurrence>& all = options_.phases.occurrences;
  Location& phases = locations_[handle.index];
  const Time recorded = location.operation.at;
  std::size_t& i = phases.scheduled;
  while (i + 1 < all.size() && all[i + 1].begin <= recorded) ++i;
  while (i > 0 && all[i].begin > recorded) --i;
  set_measured(phases, location, all[i].phase);
}

void JobPhases::begin(LocationHandle handle, const JobLocation& location) {
  const std::string& name = trace_.region_name(location.operation.region);
  const auto [found, fresh] = hinted_by_name_.try_emplace(name, static_cast<std::uint32_t>(hinted_.size()));
  if (fresh) {
    hinted_.push_back({name});
    if (!has_schedule()) account_.add(name);
  }
  Location& phases = locations_[handle.index];
  phases.open.push_back(found->second);
  enter(phases, location, found->second);
}

/// The innermost hinted phase is now `hinted`.
void JobPhases::enter(Location& phases, const JobLocation& location, std::uint32_t hinted) {
  if (!has_schedule()) set_measured(phases, location, hinted + 1);
  notify_predictor(location, hinted + 1);
  if (options_.preloads.empty()) return;
  if (phases.occurrences.size() <= hinted) phases.occurrences.resize(hinted + 1);
  Hinted& phase = hinted_[hinted];
  // A later rank finds the slots as the first one left them, or as a later phase needs them.
  if (++phases.occurrences[hinted] <= phase.occurrences) return;
  ++phase.occurrences;
  if (!working_sets_.stored(phase.name)) return;
  working_sets_.load_first(phase.name, [this](std::uint32_t slot, const Configuration& content) {
    technique_.load_hinted(events_.now(), slot, content);
  });
}

/// `phase` 0: outside all phases.
void JobPhases::notify_predictor(const JobLocation& location, std::uint32_t phase) {
  if (options_.notify_predictors) technique_.begin_phase(events_.now(), placement_[location.rank], phase);
}

void JobPhases::end(LocationHandle handle, const JobLocation& location) {
  Location& phases = locations_[handle.index];
  if (phases.open.empty()) return;
  phases.open.pop_back();
  if (!phases.open.empty()) return enter(phases, location, phases.open.back());
  notify_predictor(location, 0);
  if (!has_schedule()) set_measured(phases, location, 0);
}

void JobPhases::finish(LocationHandle handle, const JobLocation& location) {
  Location& phases = locations_[handle.index];
  if (phases.open.empty()) return;
  phases.open.clear();
  if (!has_schedule()) set_measured(phases, location, 0);
}

void JobPhases::report(Measures& measures, Time end) const {
  PhaseAccount account = account_;
  for (const Location& phases : locations_) account.time(phases.measured, end - phases.measured_since);
  if (!has_schedule() && hinted_.empty()) return;  // the job is one phase
  measures.phases = account.finish(locations_.size());
  // The time outside hinted phases comes last.
  if (!has_schedule() && measures.phases.front().name == kOutsidePhases)
    std::rotate(measures.phases.begin(), measures.phases.begin() + 1, measures.phases.end());
}

}  // namespace hybrid
