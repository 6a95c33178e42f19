#include "predictor/phases.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "predictor/phase_partition.h"
#include "predictor/use_history.h"

namespace hybrid {

struct PhaseFinder::State {
  UseHistory history;
  std::vector<PhaseOccurrence> occurrences;
};

PhaseFinder::PhaseFinder(std::uint32_t /*ports*/) : state_(std::make_unique<State>()) {}
PhaseFinder::~PhaseFinder() = default;
PhaseFinder::PhaseFinder(PhaseFinder&&) noexcept = default;

void PhaseFinder::send(Time at, Connection connection, Bytes bytes) {
  state_->history.add(at, connection, bytes);
}

std::vector<Phase> PhaseFinder::finish() {
  const PhasePartition partition = partition_into_phases(state_->history.take());
  const UseHistory::Timeline& timeline = partition.timeline;
  std::vector<Phase> phases(partition.members.size());
  for (std::size_t p = 0; p < phases.size(); ++p) {
    Phase& phase = phases[p];
    phase.name = "phase " + std::to_string(p + 1);
    phase.occurrences = 0;
    for (const PhasePartition::Member& member : partition.members[p]) {
      phase.working_set.push_back(timeline.uses[member.use].connection);
      if (member.rare) phase.rare.push_back(phase.working_set.back());
    }
    count_slots(phase);
  }
  state_->occurrences.clear();
  for (const PhasePartition::Stretch& stretch : partition.stretches) {
    state_->occurrences.push_back({timeline.windows[stretch.first].first, stretch.phase});
    Phase& phase = phases[stretch.phase];
    if (phase.occurrences++ == 0) phase.begin = timeline.windows[stretch.first].first;
    phase.end = timeline.windows[stretch.last].last;
    for (std::uint32_t w = stretch.first; w <= stretch.last; ++w) {
      phase.messages += timeline.windows[w].messages;
      phase.bytes += timeline.windows[w].bytes;
    }
  }
  return phases;
}

const std::vector<PhaseOccurrence>& PhaseFinder::occurrences() const { return state_->occurrences; }

void count_slots(Phase& phase) {
  std::vector<Connection> others;
  std::set_difference(phase.working_set.begin(), phase.working_set.end(), phase.rare.begin(),
                      phase.rare.end(), std::back_inserter(others));
  phase.slots_needed = slots_needed(phase.working_set);
  phase.slots_without_rare = slots_needed(others);
}

std::uint32_t slots_needed(const std::vector<Connection>& working_set) {
  // The edges of a bipartite graph can be coloured with as many colours as its largest degree (Konig).
  std::vector<Port> sources, destinations;
  for (Connection c : working_set) {
    sources.push_back(c.source);
    destinations.push_back(c.destination);
  }
  std::uint32_t most = 0;
  for (std::vector<Port>* ports : {&sources, &destinations}) {
    std::sort(ports->begin(), ports->end());
    for (auto run = ports->begin(); run != ports->end();) {
      const auto end = std::upper_bound(run, ports->end(), *run);
      most = std::max(most, static_cast<std::uint32_t>(end - run));
      run = end;
    }
  }
  return most;
}

}  // namespace hybrid
