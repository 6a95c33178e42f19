#include "emulator/replay/phase_hints.h"

#include "core/hints/connections.h"
#include "core/hints/evaluation.h"
#include "emulator/replay/phase_preload.h"

namespace hybrid {

PhaseHints recorded_hints(JobTrace& trace) {
  PhaseHints hints;
  Operation operation;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    const std::uint32_t rank = trace.locations()[location].rank;
    std::vector<std::uint32_t> open;  // regions, the innermost last
    while (trace.next(location, operation)) {
      switch (operation.kind) {
        case Operation::Kind::phase_begin:
          open.push_back(operation.region);
          break;
        case Operation::Kind::phase_end:
          if (!open.empty()) open.pop_back();
          break;
        case Operation::Kind::hint:
          if (!open.empty() && operation.peer != rank)
            hints.phases[trace.region_name(open.back())].insert({rank, operation.peer});
          break;
        default:
          break;
      }
    }
  }
  return hints;
}

PhaseHints evaluated_hints(const std::vector<HintUnit>& units, std::uint32_t ranks) {
  PhaseHints hints;
  NoHintValues values;
  for (const HintUnit& unit : units) {
    HintEvaluator evaluator(unit, ranks, values);
    HintConnectionFinder finder(evaluator);
    for (std::uint32_t phase = 0; phase < unit.phases.size(); ++phase) {
      const HintConnections found = finder.phase(phase);
      const std::string name(unit.text(unit.phases[phase].name));
      if (!found.unknown.empty()) hints.unknown.emplace(name, found.unknown);
      if (!found.connections.empty())
        hints.phases[name].insert(found.connections.begin(), found.connections.end());
    }
  }
  return hints;
}

PhasePreloads plan(const PhaseHints& hints, const PhaseNesting& nesting,
                   const std::vector<std::uint32_t>& placement, std::uint32_t ports, std::uint32_t slots) {
  std::map<std::string, std::set<Connection>> own;
  for (const auto& [name, connections] : hints.phases)
    for (const auto& [from, to] : connections)
      if (placement[from] != placement[to]) own[name].insert({placement[from], placement[to]});
  PhaseConnections phases;
  for (const auto& [name, connections] : nesting.whole(own, ports, slots))
    for (const Connection& connection : connections) phases[name][connection] = 1;
  return fit_phases(phases, ports, slots);
}

}  // namespace hybrid
