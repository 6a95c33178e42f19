#include "cli/hints_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/hints/connections.h"
#include "core/hints/pattern.h"
#include "core/hints/print_expression.h"
#include "core/readable_name.h"
#include "emulator/replay/replay.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

using nlohmann::ordered_json;

constexpr std::array kKinds{"send", "receive", "collective", "one-sided"};
constexpr std::array kClasses{"static", "inspected", "speculative", "dynamic"};
constexpr std::array kPhaseKinds{"loop", "procedure", "directive"};

const char* name_of(const hybrid_site& site) { return kKinds[site.kind - 1]; }
const char* class_of(const hybrid_site& site) { return kClasses[site.site_class - 1]; }

std::string place(const HintUnit& unit, std::uint32_t file, std::uint32_t line) {
  const std::string_view name = unit.text(file);
  if (name.empty()) return "?";
  return std::string(name.substr(name.rfind('/') + 1)) + ":" + std::to_string(line);
}

// A function's or phase's name without the types of its parameters: f(int):12 is f:12.
std::string short_name(std::string_view function) {
  const std::size_t parameters = parameters_of(function), behind = function.rfind("):");
  std::string name(function.substr(0, parameters));
  if (parameters != function.size() && behind != function.npos) name += function.substr(behind + 1);
  return name;
}

std::string print(const HintUnit& unit, std::uint32_t node) { return print_expression(unit, node); }

std::string counted(std::uint64_t connections) {
  return grouped(connections) + " connection" + (connections == 1 ? "" : "s");
}

// A set of connections in words: its pattern and size.
std::string working_set(const HintConnections& hinted, std::uint32_t ranks) {
  if (hinted.connections.empty()) return hinted.unknown.empty() ? "none" : "unknown: " + hinted.unknown;
  std::string text = recognize_pattern(hinted.connections, ranks);
  if (text.empty()) text = "no pattern";
  text += ", " + counted(hinted.connections.size());
  return hinted.unknown.empty() ? text : text + "; not all known: " + hinted.unknown;
}

// The most connections of one port: the number of configurations that hold the set on a crossbar.
std::uint32_t configurations(const std::vector<Connection>& connections, std::uint32_t ranks) {
  std::vector<std::uint32_t> out(ranks), in(ranks);
  std::uint32_t most = 0;
  for (const Connection& c : connections) most = std::max({most, ++out[c.source], ++in[c.destination]});
  return most;
}

std::string peer_text(const HintUnit& unit, const hybrid_site& site) {
  if (site.peer == HYBRID_NONE) return site.kind == HYBRID_COLLECTIVE ? "" : "?";
  std::string text = print(unit, site.peer);
  const hybrid_node& communicator = unit.nodes[site.communicator];
  if (communicator.op != HYBRID_WORLD) text += " of " + print(unit, site.communicator);
  return text;
}

// The conditions and loops around a call, and why it is not static.
std::string circumstances(const HintUnit& unit, const hybrid_site& site) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (site.guard != HYBRID_NONE) add("if " + print(unit, site.guard));
  for (const std::string& loop : print_loops(unit, site.loop)) add(loop);
  if (site.reason != HYBRID_NONE) add(std::string(unit.text(site.reason)));
  return text;
}

TextTable sites_table(std::uint32_t ranks) {
  using enum TextTable::Align;
  std::vector<TextTable::Column> columns{{"call site", left}, {"function", left}, {"call", left},
                                         {"class", left},     {"phase", left},    {"peer", left}};
  if (ranks != 0) columns.push_back({"pattern", left});
  return TextTable(columns);
}

void add_sites(TextTable& table, const HintUnit& unit, HintConnectionFinder& finder, std::uint32_t ranks) {
  for (std::uint32_t s = 0; s < unit.sites.size(); ++s) {
    const hybrid_site& site = unit.sites[s];
    std::string peer = peer_text(unit, site);
    if (const std::string more = circumstances(unit, site); !more.empty())
      peer += (peer.empty() ? "" : "  ") + ("[" + more + "]");
    std::vector<std::string> cells{
        place(unit, site.file, site.line),
        short_name(unit.text(site.function)),
        std::string(unit.text(site.call)),
        class_of(site),
        site.phase == HYBRID_NONE ? "" : short_name(unit.text(unit.phases[site.phase].name)),
        peer};
    if (ranks != 0) cells.push_back(site.kind == HYBRID_SEND ? working_set(finder.site(s), ranks) : "");
    table.add(std::move(cells));
  }
}

TextTable phases_table(std::uint32_t ranks) {
  using enum TextTable::Align;
  std::vector<TextTable::Column> columns{
      {"phase", left}, {"begins", left}, {"kind", left}, {"sends", right}, {"hinted", left}};
  if (ranks != 0) {
    columns.push_back({"slots", right});
    columns.push_back({"working set", left});
  }
  return TextTable(columns);
}

void add_phases(TextTable& table, const HintUnit& unit, HintConnectionFinder& finder, std::uint32_t ranks) {
  for (std::uint32_t p = 0; p < unit.phases.size(); ++p) {
    const hybrid_phase& phase = unit.phases[p];
    if ((phase.flags & HYBRID_PHASE_MERGED) != 0) continue;
    std::string hinted;
    const auto add = [&](const std::string& part) { hinted += (hinted.empty() ? "" : ", ") + part; };
    if (phase.pattern != HYBRID_NONE)
      add(std::string(unit.text(phase.pattern)) +
          (phase.dimensions == HYBRID_NONE ? "" : " " + print(unit, phase.dimensions)));
    if (phase.connections != HYBRID_NONE) add("connections " + print(unit, phase.connections));
    if (phase.condition != HYBRID_NONE) add("if " + print(unit, phase.condition));
    for (const auto& [of, connections] : profiled_connections(unit, phase))
      add("a run of " + std::to_string(of) + " ranks: " + counted(connections));
    if (phase.slots != 0) add(std::to_string(phase.slots) + " slots");
    if ((phase.flags & HYBRID_PHASE_PRELOAD) != 0) add("preload");
    if ((phase.flags & HYBRID_PHASE_FLUSH) != 0) add("flush");
    const auto sends = std::count_if(unit.sites.begin(), unit.sites.end(), [&](const hybrid_site& site) {
      return site.phase == p && site.kind == HYBRID_SEND;
    });
    std::vector<std::string> cells{short_name(unit.text(phase.name)), place(unit, phase.file, phase.line),
                                   kPhaseKinds[phase.kind - 1u], std::to_string(sends), hinted};
    if (ranks != 0) {
      const HintConnections set = finder.phase(p);
      cells.push_back(std::to_string(configurations(set.connections, ranks)));
      cells.push_back(working_set(set, ranks));
    }
    table.add(std::move(cells));
  }
}

using Totals = std::array<std::array<std::uint64_t, kClasses.size()>, kKinds.size()>;

// Counts calls in the source. A call with several copies in the program (inlined functions, templates) has
// the class of its least known copy.
Totals count(const std::vector<HintUnit>& units) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::uint16_t>, std::uint16_t>
      calls;
  Totals totals{};
  for (const HintUnit& unit : units)
    for (const hybrid_site& site : unit.sites) {
      if (site.line == 0) {  // compiled without -g: copies cannot be recognised
        ++totals[site.kind - 1u][site.site_class - 1u];
        continue;
      }
      std::uint16_t& worst = calls[{std::string(unit.text(site.file)), site.line, site.column,
                                    std::string(unit.text(site.call)), site.kind}];
      worst = std::max(worst, site.site_class);
    }
  for (const auto& [call, worst] : calls) ++totals[std::get<4>(call) - 1u][worst - 1u];
  return totals;
}

ordered_json site_json(const HintUnit& unit, std::uint32_t at, HintConnectionFinder& finder,
                       std::uint32_t ranks) {
  const hybrid_site& site = unit.sites[at];
  ordered_json json{{"file", unit.text(site.file)},
                    {"line", site.line},
                    {"column", site.column},
                    {"function", unit.text(site.function)},
                    {"call", unit.text(site.call)},
                    {"kind", name_of(site)},
                    {"class", class_of(site)},
                    {"communicator", print(unit, site.communicator)},
                    {"peer", print(unit, site.peer)},
                    {"tag", print(unit, site.tag)},
                    {"count", print(unit, site.count)},
                    {"guard", print(unit, site.guard)},
                    {"loops", print_loops(unit, site.loop)},
                    {"phase", site.phase == HYBRID_NONE ? "" : unit.text(unit.phases[site.phase].name)},
                    {"reason", unit.text(site.reason)}};
  if (ranks == 0 || site.kind != HYBRID_SEND) return json;
  const HintConnections hinted = finder.site(at);
  json["pattern"] = recognize_pattern(hinted.connections, ranks);
  json["connections"] = hinted.connections.size();
  json["unknown"] = hinted.unknown;
  return json;
}

ordered_json phase_json(const HintUnit& unit, std::uint32_t at, HintConnectionFinder& finder,
                        std::uint32_t ranks) {
  const hybrid_phase& phase = unit.phases[at];
  ordered_json json{{"name", unit.text(phase.name)},
                    {"file", unit.text(phase.file)},
                    {"line", phase.line},
                    {"kind", kPhaseKinds[phase.kind - 1u]},
                    {"parent", phase.parent == HYBRID_NONE ? "" : unit.text(unit.phases[phase.parent].name)},
                    {"condition", print(unit, phase.condition)},
                    {"hinted_pattern", unit.text(phase.pattern)},
                    {"hinted_dimensions", print(unit, phase.dimensions)},
                    {"hinted_connections", print(unit, phase.connections)},
                    {"slots", phase.slots},
                    {"preload", (phase.flags & HYBRID_PHASE_PRELOAD) != 0},
                    {"flush", (phase.flags & HYBRID_PHASE_FLUSH) != 0},
                    {"profiles", ordered_json::array()}};
  for (const auto& [of, connections] : profiled_connections(unit, phase))
    json["profiles"].push_back({{"ranks", of}, {"connections", connections}});
  if (ranks == 0) return json;
  const HintConnections hinted = finder.phase(at);
  json["pattern"] = recognize_pattern(hinted.connections, ranks);
  json["configurations"] = configurations(hinted.connections, ranks);
  json["unknown"] = hinted.unknown;
  json["connections"] = ordered_json::array();
  for (const Connection& c : hinted.connections) json["connections"].push_back({c.source, c.destination});
  return json;
}

}  // namespace

std::string hints_text(const std::vector<HintUnit>& units, std::uint32_t ranks, HintValues& values,
                       std::size_t width) {
  TextTable sites = sites_table(ranks), phases = phases_table(ranks);
  for (const HintUnit& unit : units) {
    HintEvaluator evaluator(unit, std::max(ranks, 1u), values);
    HintConnectionFinder finder(evaluator, HintConnectionFinder::Sites::all);
    add_sites(sites, unit, finder, ranks);
    add_phases(phases, unit, finder, ranks);
  }
  std::string text;
  for (const TextTable* one : {&sites, &phases})
    if (!one->empty()) text += one->text(0, width) + "\n";
  const Totals totals = count(units);
  std::vector<TextTable::Column> columns{{"calls in the source", TextTable::Align::left}};
  for (const char* name : kClasses) columns.push_back({name});
  TextTable table(columns);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    std::vector<std::string> cells{kKinds[kind]};
    for (const std::uint64_t calls : totals[kind]) cells.push_back(grouped(calls));
    table.add(std::move(cells));
  }
  return text + table.text(2, width);
}

ordered_json hints_json(const std::vector<HintUnit>& units, std::uint32_t ranks, HintValues& values) {
  ordered_json json{{"units", ordered_json::array()}, {"totals", ordered_json::object()}};
  for (const HintUnit& unit : units) {
    HintEvaluator evaluator(unit, std::max(ranks, 1u), values);
    HintConnectionFinder finder(evaluator, HintConnectionFinder::Sites::all);
    ordered_json one{{"name", unit.text(unit.name)},
                     {"file", unit.file},
                     {"sites", ordered_json::array()},
                     {"phases", ordered_json::array()}};
    for (std::uint32_t s = 0; s < unit.sites.size(); ++s)
      one["sites"].push_back(site_json(unit, s, finder, ranks));
    for (std::uint32_t p = 0; p < unit.phases.size(); ++p)
      if ((unit.phases[p].flags & HYBRID_PHASE_MERGED) == 0)
        one["phases"].push_back(phase_json(unit, p, finder, ranks));
    json["units"].push_back(std::move(one));
  }
  const Totals totals = count(units);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
    for (std::size_t c = 0; c < kClasses.size(); ++c)
      json["totals"][kKinds[kind]][kClasses[c]] = totals[kind][c];
  return json;
}

std::string check_text(const HintCheck& check, std::size_t width) {
  using enum TextTable::Align;
  TextTable table({{"phase", left},
                   {"hinted"},
                   {"used"},
                   {"precision"},
                   {"recall"},
                   {"messages"},
                   {"over hinted"},
                   {"lead"}});
  const auto add = [&](const std::string& name, const HintScore& score) {
    const auto share = [](std::optional<double> value) { return value ? percent(*value) : "-"; };
    table.add({name, grouped(score.hinted), grouped(score.used), share(score.precision()),
               share(score.recall()), grouped(score.messages), share(score.covered()),
               score.lead.mean() ? short_time(*score.lead.mean()) : "-"});
  };
  for (const HintScore& phase : check.phases) add(short_name(phase.phase), phase);
  add("(the whole run)", check.all);
  std::string text =
      fmt::format("Connections hinted ({}) and used, point-to-point, {} ranks\n",
                  check.recorded_hints ? "by the binary and in the run" : "by the binary alone",
                  check.ranks) +
      table.text(2, width);
  for (const HintScore& phase : check.phases)
    if (phase.hinted == 0 && phase.phase != kOutsidePhases)
      text += fmt::format("  no hints for {}{}\n", short_name(phase.phase),
                          phase.unknown.empty() ? "" : ": " + phase.unknown);
  if (!check.all.unknown.empty()) text += "  not hinted: " + check.all.unknown + "\n";
  for (const std::string& phase : check.elsewhere)
    text += fmt::format("  not in this binary: {} (a shared library, or the run is of another program)\n",
                        short_name(phase));
  return text;
}

ordered_json check_json(const HintCheck& check) {
  const auto share = [](std::optional<double> value) {
    return value ? ordered_json(*value) : ordered_json();
  };
  const auto one = [&](const HintScore& score) {
    return ordered_json{
        {"hinted", score.hinted},
        {"used", score.used},
        {"hinted_and_used", score.both},
        {"precision", share(score.precision())},
        {"recall", share(score.recall())},
        {"messages", score.messages},
        {"messages_over_hinted", score.messages_hinted},
        {"share_over_hinted", share(score.covered())},
        {"lead_ns", score.lead.mean() ? ordered_json(score.lead.mean()->ps / 1000.0) : ordered_json()},
        {"unknown", score.unknown}};
  };
  ordered_json json = one(check.all);
  json["ranks"] = check.ranks;
  json["hinted_by"] = check.recorded_hints ? "binary and run" : "binary";
  json["elsewhere"] = check.elsewhere;
  json["phases"] = ordered_json::array();
  for (const HintScore& phase : check.phases) {
    ordered_json named{{"phase", phase.phase}};
    named.update(one(phase));
    json["phases"].push_back(std::move(named));
  }
  return json;
}

}  // namespace hybrid
