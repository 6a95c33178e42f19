#include "cli/hints_check.h"

#include <set>

#include "cli/recorded_connections.h"
#include "core/error.h"
#include "core/hints/connections.h"
#include "core/hints/told_connections.h"

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

/// Where the binary alone does not tell all, also what the library told in the run.
void add_recorded(const JobTrace& trace, std::map<std::string, Told>& told, Told& all,
                  std::uint32_t& ranks_told) {
  std::set<std::string> not_all;
  for (const auto& [phase, connections] : told)
    if (!connections.unknown.empty()) not_all.insert(phase);
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    const std::string text = trace.told_connections(rank);
    if (text.empty()) continue;
    const auto recorded = decode_told(text, trace.ranks());
    if (!recorded)
      throw UserError("what hints told rank " + std::to_string(rank) + " is damaged in the trace",
                      "Record the run again.");
    ++ranks_told;
    for (const auto& [phase, destinations] : *recorded) {
      if (!not_all.contains(phase)) continue;
      for (const std::uint32_t to : destinations) {
        if (to == rank) continue;
        told[phase].connections.insert({rank, to});
        all.connections.insert({rank, to});
      }
    }
  }
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

  add_recorded(trace, told, all, check.ranks_told);

  const RecordedConnections used = read_connections(trace);
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
