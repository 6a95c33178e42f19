// Independent check of paths through fat trees: walks them through the graph (tree_graph.h), without Theorems
// 1 and 2.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/connection.h"
#include "emulator/topology/fat_tree.h"
#include "emulator/topology/tree_graph.h"

namespace hybrid {

/// Walks granted paths and holds their links; each link can be held once.
class TreePathChecker {
 public:
  explicit TreePathChecker(const TreeGraph& graph) : graph_(graph) {}

  /// Returns a description of the path's fault, or "". Without a fault its links are held.
  std::string hold_path(Connection c, const TreePath& path) {
    std::set<Link> links;
    std::string fault = walk(c, path, links);
    for (const Link& link : links)
      if (fault.empty() && taken_.contains(link))
        fault = fmt::format("{} -> {}: link taken twice: {} {} {}", c.source, c.destination,
                            static_cast<char>(std::get<0>(link)), std::get<1>(link), std::get<2>(link));
    if (fault.empty()) taken_.insert(links.begin(), links.end());
    return fault;
  }

  void release_path(Connection c, const TreePath& path) {
    std::set<Link> links;
    walk(c, path, links);
    for (const Link& link : links) taken_.erase(link);
  }

  std::size_t links_taken() const { return taken_.size(); }

  /// Whether a path with one turn is free, found by trying all of them.
  bool has_free_path(Connection c) const {
    TreePath path;
    if (taken_.contains({'s', c.source, 0}) || taken_.contains({'r', c.destination, 0})) return false;
    return has_free_path(c, path, graph_.leaf(c.source));
  }

 private:
  using Link = std::tuple<char, std::uint32_t, std::uint32_t>;  // direction, switch (or node), port

  bool has_free_path(Connection c, TreePath& path, std::uint32_t at) const {
    if (graph_.down_port(at, c.destination) != ~0U) {
      std::set<Link> links;
      if (!walk(c, path, links).empty()) return false;
      for (const Link& link : links)
        if (taken_.contains(link)) return false;
      return true;
    }
    for (std::uint32_t port = 0; port < graph_.at(at).up.size(); ++port) {
      if (taken_.contains({'u', at, port})) continue;
      path.up[path.turn++] = static_cast<std::uint16_t>(port);
      if (has_free_path(c, path, graph_.at(at).up[port].to)) return true;
      --path.turn;
    }
    return false;
  }

  std::string walk(Connection c, const TreePath& path, std::set<Link>& links) const {
    if (c.source >= graph_.nodes() || c.destination >= graph_.nodes()) return "a port out of range";
    links.insert({'s', c.source, 0});
    links.insert({'r', c.destination, 0});
    std::uint32_t at = graph_.leaf(c.source);
    for (std::uint32_t h = 0; h < path.turn; ++h) {
      const auto& switch_here = graph_.at(at);
      const auto& wires = h + 1 < graph_.levels() ? switch_here.up : switch_here.across;
      if (path.up[h] >= wires.size() || wires[path.up[h]].to == ~0U)
        return fmt::format("{} -> {}: no port {} up at level {}", c.source, c.destination, path.up[h],
                           switch_here.level);
      links.insert({'u', at, path.up[h]});
      at = wires[path.up[h]].to;
    }
    for (;;) {
      const std::uint32_t port = graph_.down_port(at, c.destination);
      if (port == ~0U) return fmt::format("{} -> {}: turns below both", c.source, c.destination);
      const auto wire = graph_.at(at).down[port];
      if (graph_.at(at).level == 0) return {};
      links.insert({'d', at, port});
      at = wire.to;
    }
  }

  const TreeGraph& graph_;
  std::set<Link> taken_;
};

/// Returns a description of the first fault in the grants of `requests` on an empty tree, or "".
inline std::string tree_fault(const TreeGraph& graph, std::span<const Connection> requests,
                              std::span<const TreePath> paths, std::size_t granted) {
  TreePathChecker checker(graph);
  std::size_t found = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!paths[i].granted) continue;
    ++found;
    if (std::string fault = checker.hold_path(requests[i], paths[i]); !fault.empty()) return fault;
  }
  if (found != granted) return fmt::format("reports {} grants, but {} paths are granted", granted, found);
  return {};
}

}  // namespace hybrid
