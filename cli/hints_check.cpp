#include "cli/hints_check.h"

#include <set>
#include <unordered_map>

#include "core/hints/connections.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

struct Told {
  std::set<Connection> connections;
  std::string unknown;

  void add(const HintConnections& more) {
    connections.insert(more.connections.begin(), more.connections.end());
    if (unknown.empty()) unknown = more.unknown;
  }
};

// Messages by connection.
using Used = std::unordered_map<Connection, std::uint64_t>;

HintScore score(const std::string& phase, const Told& told, const Used& used) {
  HintScore result;
  result.phase = phase;
  result.unknown = told.unknown;
  result.told = told.connections.size();
  result.used = used.size();
  for (const auto& [connection, messages] : used) {
    result.messages += messages;
    if (!told.connections.contains(connection)) continue;
    ++result.both;
    result.messages_told += messages;
  }
  return result;
}

}  // namespace

HintCheck check_hints(const std::vector<HintUnit>& units, HintValues& values, JobTrace& trace) {
  HintCheck check;
  check.ranks = trace.ranks();
  Told all;
  std::map<std::string, Told> told;
  for (const HintUnit& unit : units) {
    HintEvaluator evaluator(unit, check.ranks, values);
    HintConnectionFinder finder(evaluator);
    for (std::uint32_t site = 0; site < unit.sites.size(); ++site) {
      HintConnections found = finder.site(site);
      if (!found.unknown.empty())
        found.unknown = std::string(unit.text(unit.sites[site].file)) + ":" +
                        std::to_string(unit.sites[site].line) + ": " + found.unknown;
      all.add(found);
    }
    for (std::uint32_t phase = 0; phase < unit.phases.size(); ++phase) {
      const HintConnections found = finder.phase(phase);
      all.add({found.connections, {}});
      told[std::string(unit.text(unit.phases[phase].name))].add(found);
    }
  }

  Used used;
  std::map<std::string, Used> used_in;
  Operation operation;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    const std::uint32_t rank = trace.locations()[location].rank;
    std::vector<Used*> phases;  // the innermost last
    while (trace.next(location, operation)) {
      switch (operation.kind) {
        case Kind::phase_begin:
          phases.push_back(&used_in[trace.region_name(operation.region)]);
          break;
        case Kind::phase_end:
          if (!phases.empty()) phases.pop_back();
          break;
        case Kind::send:
        case Kind::send_start:
          if (operation.peer == rank) break;
          ++used[{rank, operation.peer}];
          if (!phases.empty()) ++(*phases.back())[{rank, operation.peer}];
          break;
        default:
          break;
      }
    }
  }

  check.all = score({}, all, used);
  for (const auto& [name, phase] : used_in) check.phases.push_back(score(name, told[name], phase));
  // Without phases in the trace nothing can be said of the hints' phases.
  if (used_in.empty()) return check;
  for (const auto& [name, phase] : told)
    if (!used_in.contains(name) && !phase.connections.empty()) check.phases.push_back(score(name, phase, {}));
  return check;
}

}  // namespace hybrid
