#include "emulator/replay/phase_hints.h"

#include <algorithm>

#include "core/hints/connections.h"
#include "core/hints/evaluation.h"
#include "emulator/replay/phase_preload.h"

namespace hybrid {
namespace {

using Connections = std::set<Connection>;

/// Whether no port has more connections than slots.
bool fit(const Connections& connections, std::uint32_t ports, std::uint32_t slots) {
  std::vector<std::uint32_t> out(ports), in(ports);
  return std::all_of(connections.begin(), connections.end(), [&](const Connection& c) {
    return ++out[c.source] <= slots && ++in[c.destination] <= slots;
  });
}

}  // namespace

PhaseHints read_recorded_hints(JobTrace& trace) {
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

PhaseHints evaluate_hints(const std::vector<HintUnit>& units, std::uint32_t ranks) {
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

void PhaseNesting::add(const std::string& outer, const std::string& inner) {
  around_[inner].insert(outer);
  if (!outer.empty()) within_[outer].insert(inner);
}

std::map<std::string, Connections> PhaseNesting::whole(const std::map<std::string, Connections>& own,
                                                       std::uint32_t ports, std::uint32_t slots) const {
  std::set<std::string> names;
  for (const auto& [name, connections] : own) names.insert(name);
  for (const auto& [name, outer] : around_) names.insert(name);

  // The connections of each phase and of all phases in it. Phases may be in one another (recursion).
  std::map<std::string, Connections> extents;
  for (const std::string& name : names) {
    std::set<std::string> seen{name};
    for (std::vector<std::string> pending{name}; !pending.empty();) {
      const std::string at = pending.back();
      pending.pop_back();
      if (const auto found = own.find(at); found != own.end())
        extents[name].insert(found->second.begin(), found->second.end());
      if (const auto inner = within_.find(at); inner != within_.end())
        for (const std::string& phase : inner->second)
          if (seen.insert(phase).second) pending.push_back(phase);
    }
  }

  std::map<std::string, Connections> result;
  for (const std::string& name : names) {
    std::string holder;  // the outermost phase that fits
    std::set<std::string> seen;
    for (std::string at = name; seen.insert(at).second;) {
      if (!fit(extents[at], ports, slots)) break;
      holder = at;
      const auto outer = around_.find(at);
      if (outer == around_.end() || outer->second.size() != 1 || outer->second.begin()->empty()) break;
      at = *outer->second.begin();
    }
    const auto mine = own.find(name);
    Connections held = !holder.empty() ? extents[holder] : mine == own.end() ? Connections{} : mine->second;
    if (!held.empty()) result[name] = std::move(held);
  }
  return result;
}

PhaseNesting read_phase_nesting(JobTrace& trace) {
  PhaseNesting nesting;
  Operation operation;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    std::vector<std::uint32_t> open;  // regions, the innermost last
    while (trace.next(location, operation)) {
      if (operation.kind == Operation::Kind::phase_begin) {
        nesting.add(open.empty() ? std::string() : trace.region_name(open.back()),
                    trace.region_name(operation.region));
        open.push_back(operation.region);
      } else if (operation.kind == Operation::Kind::phase_end && !open.empty()) {
        open.pop_back();
      }
    }
  }
  return nesting;
}

PhasePreloads plan(const PhaseHints& hints, const PhaseNesting& nesting,
                   const std::vector<std::uint32_t>& placement, std::uint32_t ports, std::uint32_t slots) {
  std::map<std::string, Connections> own;
  for (const auto& [name, connections] : hints.phases)
    for (const auto& [from, to] : connections)
      if (placement[from] != placement[to]) own[name].insert({placement[from], placement[to]});
  PhaseConnections phases;
  for (const auto& [name, connections] : nesting.whole(own, ports, slots))
    for (const Connection& connection : connections) phases[name][connection] = 1;
  return fit_phases(phases, ports, slots);
}

}  // namespace hybrid
