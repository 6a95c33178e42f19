#include "libhybrid/placement/placement.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/option.h"

namespace hybrid {

namespace {

void check_kind(std::string_view kind) {
  const std::vector<std::string_view> known(std::begin(kPlacementKinds), std::end(kPlacementKinds));
  if (std::find(known.begin(), known.end(), kind) != known.end()) return;
  std::string fix = "Give one port a";
  for (std::size_t i = 0; i < known.size(); ++i)
    fix += (i == 0 ? " " : i + 1 == known.size() ? " or " : ", ") + std::string(known[i]);
  const std::string_view closest = closest_name(kind, known);
  if (!closest.empty()) fix += "; did you mean '" + std::string(closest) + "'?";
  throw UserError("placement: '" + std::string(kind) + "' is unknown", fix);
}

template <class Objects>
std::vector<std::uint32_t> touched(const Objects& objects, const CpuSet& binding) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < objects.size(); ++i)
    if (objects[i].cpus.intersects(binding)) found.push_back(i);
  return found;
}

template <class Condition>
std::vector<std::uint32_t> nics_where(const Machine& machine, Condition condition) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < machine.nics.size(); ++i)
    if (condition(machine.nics[i].near)) found.push_back(i);
  return found;
}

std::vector<std::uint32_t> nearest_nics(const Machine& machine, const CpuSet& binding) {
  auto all = nics_where(machine, [](const CpuSet&) { return true; });
  if (binding.contains(machine.cpus)) return all;
  // A NIC that is near to the whole machine is near to no part of it.
  const auto placed = [&](const CpuSet& near) { return !near.contains(machine.cpus); };
  CpuSet packages;
  for (const std::uint32_t p : touched(machine.packages, binding)) packages |= machine.packages[p].cpus;
  const std::vector<std::uint32_t> by_nearness[] = {
      nics_where(machine, [&](const CpuSet& near) { return placed(near) && near.contains(binding); }),
      nics_where(machine, [&](const CpuSet& near) { return placed(near) && near.intersects(binding); }),
      nics_where(machine, [&](const CpuSet& near) { return placed(near) && near.intersects(packages); })};
  for (const auto& nics : by_nearness)
    if (!nics.empty()) return nics;
  return all;
}

std::string object_name(std::string_view kind) {
  if (kind == "numa") return "NUMA node";
  if (kind == "nic") return "NIC";
  return std::string(kind);
}

}  // namespace

RankFacts locate(std::string_view kind, const Machine& machine, const CpuSet& binding, std::uint32_t host) {
  check_kind(kind);
  CpuSet here = binding;
  here &= machine.cpus;
  if (here.empty()) here = machine.cpus;
  RankFacts facts{host, {0}, here.text(), machine.nic_assumed};
  if (kind == "core") facts.objects = touched(machine.cores, here);
  if (kind == "numa") facts.objects = touched(machine.numa_nodes, here);
  if (kind == "nic") facts.objects = nearest_nics(machine, here);
  return facts;
}

// "HOST ASSUMED OBJECTS CPUS", with sets in list form. CPUS is never empty.
std::string encode(const RankFacts& facts) {
  std::string line = std::to_string(facts.host) + (facts.nic_assumed ? " 1 " : " 0 ");
  for (std::size_t i = 0; i < facts.objects.size(); ++i)
    line += (i == 0 ? "" : ",") + std::to_string(facts.objects[i]);
  return line + " " + facts.cpus;
}

RankFacts decode_facts(std::string_view line) {
  const std::string whole(line);
  std::string_view field[4];
  for (auto& f : field) {
    const std::size_t space = std::min(line.find(' '), line.size());
    f = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  RankFacts facts;
  const auto [end, error] = std::from_chars(field[0].data(), field[0].data() + field[0].size(), facts.host);
  const bool host = error == std::errc{} && end == field[0].data() + field[0].size() && !field[0].empty();
  try {
    if (!host || (field[1] != "0" && field[1] != "1") || field[2].empty() || field[3].empty() ||
        !line.empty())
      throw UserError("");
    facts.nic_assumed = field[1] == "1";
    facts.objects = CpuSet::parse(field[2], "objects").members();
    facts.cpus = CpuSet::parse(field[3], "binding").text();
  } catch (const UserError&) {
    throw RunError("another rank's placement facts are damaged: '" + whole + "'",
                   "Start every rank with the same libhybrid.so.");
  }
  return facts;
}

void pretend_hosts(std::uint32_t hosts, std::span<RankFacts> ranks) {
  if (hosts == 0) return;
  if (hosts > ranks.size())
    throw UserError(
        "hosts: " + std::to_string(hosts) + " hosts for " + std::to_string(ranks.size()) + " ranks",
        "Use at most one host per rank.");
  for (std::size_t r = 0; r < ranks.size(); ++r)
    ranks[r].host = static_cast<std::uint32_t>(r * hosts / ranks.size());
}

Placement assign_ports(std::string_view kind, std::span<const RankFacts> ranks) {
  check_kind(kind);
  Placement placement;
  placement.kind = kind;
  std::map<std::uint32_t, std::uint32_t> host_number;
  for (const RankFacts& facts : ranks) {
    const auto number = static_cast<std::uint32_t>(host_number.size());
    placement.host_of_rank.push_back(host_number.try_emplace(facts.host, number).first->second);
  }
  if (kind == "rank") {
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      placement.port_of_rank.push_back(r);
      placement.port_names.push_back("rank " + std::to_string(r));
    }
    return placement;
  }

  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::vector<std::size_t>> groups;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    groups[{placement.host_of_rank[r], ranks[r].objects}].push_back(r);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place(ranks.size());  // host, object
  std::size_t dealt = 0;
  for (const auto& [choice, members] : groups) {
    const auto& [host, objects] = choice;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t nth = members.size() <= objects.size() ? i : i * objects.size() / members.size();
      place[members[i]] = {host, objects.empty() ? 0 : objects[nth]};
    }
    if (objects.size() > 1) dealt += members.size();
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, Port> ports;
  for (const auto& p : place) ports.emplace(p, 0);
  for (auto& [where, port] : ports) {
    port = placement.ports();
    std::string name = "host " + std::to_string(where.first);
    if (kind != "host") name += " " + object_name(kind) + " " + std::to_string(where.second);
    placement.port_names.push_back(std::move(name));
  }
  for (const auto& p : place) placement.port_of_rank.push_back(ports.at(p));

  if (dealt > 0)
    placement.notes.push_back(
        (dealt == ranks.size() ? std::string("The ranks") : std::to_string(dealt) + " of the ranks") +
        (kind == "nic" ? " have no single nearest NIC" : " are not bound to one " + object_name(kind)) +
        ": they were dealt to those of their host in order.");
  if (kind == "nic" &&
      std::any_of(ranks.begin(), ranks.end(), [](const RankFacts& f) { return f.nic_assumed; }))
    placement.notes.emplace_back("A host shows no NIC: it is taken to have one.");
  return placement;
}

std::vector<RankFacts> unbound_ranks(std::string_view kind, const Machine& machine, std::uint32_t ranks,
                                     std::uint32_t hosts) {
  if (ranks == 0) throw UserError("ranks: a placement needs at least one rank");
  if (hosts == 0) throw UserError("hosts: a placement needs at least one host");
  std::vector<RankFacts> facts(ranks, locate(kind, machine, CpuSet(), 0));
  pretend_hosts(hosts, facts);
  return facts;
}

ServiceCpus choose_service_cpus(const Machine& machine, std::span<const CpuSet> bindings) {
  CpuSet taken;
  for (const CpuSet& binding : bindings) taken |= binding.empty() ? machine.cpus : binding;
  CpuSet free_units = machine.cpus;
  free_units -= taken;
  CpuSet free_cores;
  for (const Machine::Core& core : machine.cores)
    if (!core.cpus.intersects(taken)) free_cores |= core.cpus;

  if (!free_cores.empty()) return {free_cores.text(), true, "cores without a rank: " + free_cores.text()};
  if (!free_units.empty())
    return {free_units.text(), true, "processing units without a rank: " + free_units.text()};
  const std::string counts = std::to_string(bindings.size()) + " ranks on " +
                             std::to_string(machine.processing_units()) + " processing units";
  if (bindings.size() < machine.processing_units())
    return {"", true, "unrestricted: " + counts + ", which are not bound apart"};
  return {"", false, "unrestricted: " + counts + " leave none free"};
}

}  // namespace hybrid
