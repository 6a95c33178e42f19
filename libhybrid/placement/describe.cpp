#include "libhybrid/placement/describe.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hybrid {

namespace {

std::string counted(std::size_t n, const char* thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string within(const char* what, std::uint32_t index) {
  return index == Machine::kUnknown ? std::string() : fmt::format("{} {}", what, index);
}

std::string kind_name(const std::string& kind) {
  return kind == "numa" ? "NUMA node" : kind == "nic" ? "NIC" : kind;
}

nlohmann::json index_or_null(std::uint32_t index) {
  return index == Machine::kUnknown ? nlohmann::json() : nlohmann::json(index);
}

}  // namespace

std::string describe(const Machine& m, std::size_t width) {
  const std::string title =
      fmt::format("{}: {}, {}, {}, {}, {}", m.source, counted(m.packages.size(), "package"),
                  counted(m.numa_nodes.size(), "NUMA node"), counted(m.cores.size(), "core"),
                  counted(m.processing_units(), "processing unit"), counted(m.nics.size(), "NIC"));
  using enum TextTable::Align;
  TextTable table({{"object", left}, {"CPUs", left}, {"in", left}, {"", left}});
  for (std::size_t i = 0; i < m.packages.size(); ++i)
    table.add({fmt::format("package {}", i), m.packages[i].cpus.text(), "", ""});
  for (std::size_t i = 0; i < m.numa_nodes.size(); ++i) {
    const auto& node = m.numa_nodes[i];
    table.add({fmt::format("NUMA node {}", i), node.cpus.text(), within("package", node.package),
               node.memory == 0 ? "" : format_bytes(node.memory)});
  }
  for (std::size_t i = 0; i < m.cores.size(); ++i) {
    const auto& core = m.cores[i];
    std::string where = within("package", core.package);
    if (const std::string numa = within("NUMA node", core.numa); !numa.empty())
      where += (where.empty() ? "" : ", ") + numa;
    table.add({fmt::format("core {}", i), core.cpus.text(), where, ""});
  }
  for (std::size_t i = 0; i < m.nics.size(); ++i) {
    const auto& nic = m.nics[i];
    table.add({fmt::format("NIC {}", i), nic.near.text(), within("NUMA node", nic.numa),
               m.nic_assumed ? "none found: one is assumed" : nic.name + " (" + nic.kind + ")"});
  }
  return wrap(title, 0, width) + "\n" + table.text(2, width);
}

std::string describe(const Placement& placement, std::span<const RankFacts> ranks, std::size_t width) {
  using enum TextTable::Align;
  TextTable table({{"rank"}, {"host"}, {"port"}, {"at", left}, {"CPUs", left}});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Port port = placement.port_of_rank[r];
    table.add({std::to_string(r), std::to_string(placement.host_of_rank[r]), std::to_string(port),
               placement.port_names[port], ranks[r].cpus});
  }
  std::string text = fmt::format("One port for each {}: {}\n\n", kind_name(placement.kind),
                                 counted(placement.ports(), "port")) +
                     table.text(2, width);
  if (!placement.notes.empty()) text += "\n";
  for (const std::string& note : placement.notes) text += wrap(note, 0, width);
  return text;
}

nlohmann::json to_json(const Machine& m) {
  nlohmann::json json{{"source", m.source},
                      {"processing_units", m.processing_units()},
                      {"packages", nlohmann::json::array()},
                      {"numa_nodes", nlohmann::json::array()},
                      {"cores", nlohmann::json::array()},
                      {"nics", nlohmann::json::array()}};
  for (const auto& package : m.packages) json["packages"].push_back({{"cpus", package.cpus.text()}});
  for (const auto& node : m.numa_nodes)
    json["numa_nodes"].push_back({{"cpus", node.cpus.text()},
                                  {"package", index_or_null(node.package)},
                                  {"memory_bytes", node.memory}});
  for (const auto& core : m.cores)
    json["cores"].push_back({{"cpus", core.cpus.text()},
                             {"numa_node", index_or_null(core.numa)},
                             {"package", index_or_null(core.package)}});
  for (const auto& nic : m.nics)
    json["nics"].push_back({{"name", nic.name},
                            {"kind", nic.kind},
                            {"near", nic.near.text()},
                            {"numa_node", index_or_null(nic.numa)}});
  return json;
}

nlohmann::json to_json(const Placement& placement, std::span<const RankFacts> ranks) {
  nlohmann::json json{{"placement", placement.kind},
                      {"ports", nlohmann::json::array()},
                      {"ranks", nlohmann::json::array()},
                      {"notes", placement.notes}};
  for (const std::string& name : placement.port_names)
    json["ports"].push_back({{"name", name}, {"ranks", nlohmann::json::array()}});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Port port = placement.port_of_rank[r];
    json["ports"][port]["ranks"].push_back(r);
    json["ranks"].push_back(
        {{"rank", r}, {"host", placement.host_of_rank[r]}, {"cpus", ranks[r].cpus}, {"port", port}});
  }
  return json;
}

}  // namespace hybrid
