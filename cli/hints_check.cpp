#include "cli/hints_check.h"

#include <set>

#include "cli/recorded_connections.h"
#include "core/hints/connections.h"

namespace hybrid {
namespace {

struct Told {
  std::set<Connection> connections;
  std::string unknown;

  void add(const HintConnections& more) {
    connections.insert(more.connections.begin(), more.connections.end());
    if (unknown.empty()) unknown = more.unknown;
  }
};

/// Where the binary alone does not tell all of a phase, also what the library told in the run. Was there
/// such?
bool add_recorded(const RecordedConnections& recorded, std::map<std::string, Told>& told, Told& all) {
  for (const auto& [phase, connections] : recorded.told) {
    const auto known = told.find(phase);
    if (known == told.end() || known->second.unknown.empty()) continue;
    known->second.connections.insert(connections.begin(), connections.end());
    all.connections.insert(connections.begin(), connections.end());
  }
  return !recorded.told.empty();
}

/// Of a phase's connections those of ranks on which it began in the run: hints are told then. All of them
/// where no phases were recorded.
void keep_begun(const RecordedConnections& recorded, const std::string& phase, HintConnections& found) {
  if (recorded.began.empty()) return;
  const auto began = recorded.began.find(phase);
  std::erase_if(found.connections, [&](const Connection& c) {
    return began == recorded.began.end() || !began->second.contains(c.source);
  });
}

HintScore score(const std::string& phase, const Told& told, const ConnectionMessages& used) {
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
  if (result.both == result.used && result.used != 0) result.unknown.clear();
  return result;
}

}  // namespace

HintCheck check_hints(const std::vector<HintUnit>& units, HintValues& values, JobTrace& trace) {
  HintCheck check;
  check.ranks = trace.ranks();
  const RecordedConnections used = read_connections(trace);
  Told all;
  std::map<std::string, Told> told;
  for (const HintUnit& unit : units) {
    HintEvaluator evaluator(unit, check.ranks, values);
    HintConnectionFinder finder(evaluator);
    const auto name_of = [&](std::uint32_t phase) { return std::string(unit.text(unit.phases[phase].name)); };
    for (std::uint32_t site = 0; site < unit.sites.size(); ++site) {
      const std::uint32_t phase = unit.sites[site].phase;
      HintConnections found = finder.site(site);
      if (phase != HYBRID_NONE) keep_begun(used, name_of(phase), found);
      if (!found.unknown.empty())
        found.unknown = std::string(unit.text(unit.sites[site].file)) + ":" +
                        std::to_string(unit.sites[site].line) + ": " + found.unknown;
      all.add(found);
    }
    for (std::uint32_t phase = 0; phase < unit.phases.size(); ++phase) {
      HintConnections found = finder.phase(phase);
      keep_begun(used, name_of(phase), found);
      all.add({found.connections, {}});
      told[name_of(phase)].add(found);
    }
  }

  check.told_in_run = add_recorded(used, told, all);
  check.all = score({}, all, used.all);
  for (const auto& [name, phase] : used.phases) check.phases.push_back(score(name, told[name], phase));
  // Without phases in the trace nothing can be said of the hints' phases.
  if (used.phases.empty()) return check;
  for (const auto& [name, phase] : told)
    if (!used.phases.contains(name) && !phase.connections.empty())
      check.phases.push_back(score(name, phase, {}));
  return check;
}

}  // namespace hybrid
