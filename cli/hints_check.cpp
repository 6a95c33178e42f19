#include "cli/hints_check.h"

#include <set>
#include <utility>

#include "cli/recorded_connections.h"
#include "core/hints/connections.h"
#include "emulator/replay/replay.h"

namespace hybrid {
namespace {

struct Hinted {
  std::set<Connection> connections;
  std::string unknown;

  void add(const HintConnections& more) {
    connections.insert(more.connections.begin(), more.connections.end());
    if (unknown.empty()) unknown = more.unknown;
  }
};

/// Adds the recorded hints of phases that the binary alone does not determine, and of those of other objects,
/// such as shared libraries, which become `check.elsewhere`.
void add_recorded(const RecordedConnections& recorded, std::map<std::string, Hinted>& hinted, Hinted& all,
                  HintCheck& check) {
  for (const auto& [phase, connections] : recorded.hinted) {
    const auto [known, is_elsewhere] = hinted.try_emplace(phase);
    if (is_elsewhere)
      check.elsewhere.push_back(phase);
    else if (known->second.unknown.empty())
      continue;
    known->second.connections.insert(connections.begin(), connections.end());
    all.connections.insert(connections.begin(), connections.end());
  }
  check.recorded_hints = !recorded.hinted.empty();
}

/// Keeps the connections of ranks on which the phase began in the run. Keeps all if no phases were recorded.
void keep_begun(const RecordedConnections& recorded, const std::string& phase, HintConnections& found) {
  if (recorded.began.empty()) return;
  const auto began = recorded.began.find(phase);
  std::erase_if(found.connections, [&](const Connection& c) {
    return began == recorded.began.end() || !began->second.contains(c.source);
  });
}

HintScore score(const std::string& phase, const Hinted& hinted, const ConnectionMessages& used) {
  HintScore result;
  result.phase = phase;
  result.unknown = hinted.unknown;
  result.hinted = hinted.connections.size();
  result.used = used.size();
  for (const auto& [connection, messages] : used) {
    result.messages += messages;
    if (!hinted.connections.contains(connection)) continue;
    ++result.both;
    result.messages_hinted += messages;
  }
  if (result.both == result.used && result.used != 0) result.unknown.clear();
  return result;
}

/// What the inspectors did in the run is known: they ran and did not find the destination.
void replace_inspected(HintScore& score) {
  const std::size_t at = score.unknown.find(kInspectedInTheRun);
  if (at == std::string::npos) return;
  score.unknown.replace(at, kInspectedInTheRun.size(),
                        score.hinted == 0
                            ? "its inspector found no destination when the phase began"
                            : "its inspector found only some destinations when the phase began");
}

/// Of the whole run: the messages that are hinted in the phase in which they are sent, and why most of the
/// others are not.
void add_up(HintCheck& check) {
  std::uint64_t most = 0;
  check.all.messages_hinted = 0;
  check.all.unknown.clear();
  for (const HintScore& phase : check.phases) {
    check.all.messages_hinted += phase.messages_hinted;
    check.all.lead.add(phase.lead);
    const std::uint64_t others = phase.messages - phase.messages_hinted;
    if (others <= most) continue;
    most = others;
    check.all.unknown = phase.unknown.empty() ? phase.phase + ": no hints" : phase.unknown;
  }
}

}  // namespace

HintCheck check_hints(const std::vector<HintUnit>& units, HintValues& values, JobTrace& trace) {
  HintCheck check;
  check.ranks = trace.ranks();
  const RecordedConnections used = read_connections(trace);
  Hinted all;
  std::map<std::string, Hinted> hinted;
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
      hinted[name_of(phase)].add(found);
    }
  }

  add_recorded(used, hinted, all, check);
  check.all = score({}, all, used.all);
  // Without phases in the trace the phases of the hints cannot be compared.
  if (used.phases.empty()) return check;
  ConnectionMessages outside = used.all;
  for (const auto& [name, phase] : used.phases) {
    for (const auto& [connection, messages] : phase) outside[connection] -= messages;
    HintScore one = score(name, hinted[name], phase);
    if (one.hinted == 0 && one.used == 0) continue;
    if (check.recorded_hints) replace_inspected(one);
    if (const auto lead = used.leads.find(name); lead != used.leads.end()) one.lead = lead->second;
    check.phases.push_back(std::move(one));
  }
  std::erase_if(outside, [](const auto& each) { return each.second == 0; });
  if (!outside.empty()) check.phases.push_back(score(std::string(kOutsidePhases), {}, outside));
  for (const auto& [name, phase] : hinted)
    if (!used.phases.contains(name) && !phase.connections.empty())
      check.phases.push_back(score(name, phase, {}));
  add_up(check);
  return check;
}

}  // namespace hybrid
