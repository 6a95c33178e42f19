// An independent judge of paths through fat trees: the graph, built by the recursion of L 3 (copies of the
// smaller tree and a row of switches on top) switch by switch and wire by wire, and a walk through it that
// knows nothing of Theorems 1 and 2.
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

namespace hybrid {

class TreeGraph {
 public:
  struct Wire {
    std::uint32_t to = ~0U;    // a switch's id, or a node at the bottom
    std::uint32_t port = ~0U;  // there, of the other direction
  };
  struct Switch {
    std::uint32_t level = 0, number = 0;
    std::vector<Wire> up, down, across;
    Port first = 0, last = 0;  // the nodes below are a range
  };

  explicit TreeGraph(const FatTreeShape& shape) : shape_(shape) {
    const Rows rows = build(shape.levels);
    rows_ = rows;
    for (std::uint32_t level = 0; level < rows.size(); ++level)
      for (std::uint32_t number = 0; number < rows[level].size(); ++number) {
        switches_[rows[level][number]].level = level;
        switches_[rows[level][number]].number = number;
      }
    connect_top(rows.back());
  }

  std::uint32_t nodes() const { return nodes_; }
  /// Ids of a level's switches, in their order.
  const std::vector<std::uint32_t>& row(std::uint32_t level) const { return rows_[level]; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(rows_.size()); }
  const Switch& at(std::uint32_t id) const { return switches_[id]; }
  std::uint32_t leaf(Port node) const { return leaf_of_[node]; }

  /// The port down by which the node is reached; ~0 where the switch is not above it.
  std::uint32_t down_port(std::uint32_t id, Port node) const {
    const Switch& s = switches_[id];
    for (std::uint32_t port = 0; port < s.down.size(); ++port) {
      const std::uint32_t to = s.down[port].to;
      if (s.level == 0 ? to == node : switches_[to].first <= node && node <= switches_[to].last) return port;
    }
    return ~0U;
  }

 private:
  using Rows = std::vector<std::vector<std::uint32_t>>;

  std::uint32_t add() {
    switches_.emplace_back();
    switches_.back().up.resize(shape_.up);
    switches_.back().down.resize(shape_.down);
    switches_.back().across.resize(shape_.up);
    return static_cast<std::uint32_t>(switches_.size() - 1);
  }

  Rows build(std::uint32_t levels) {
    if (levels == 1) {
      const std::uint32_t id = add();
      switches_[id].first = nodes_;
      for (Wire& wire : switches_[id].down) {
        wire = {nodes_++, 0};
        leaf_of_.push_back(id);
      }
      switches_[id].last = nodes_ - 1;
      return {{id}};
    }
    Rows rows(levels);
    std::vector<Rows> copies;
    for (std::uint32_t c = 0; c < shape_.down; ++c) {
      copies.push_back(build(levels - 1));
      for (std::uint32_t level = 0; level + 1 < levels; ++level)
        rows[level].insert(rows[level].end(), copies[c][level].begin(), copies[c][level].end());
    }
    std::vector<std::uint32_t>& top = rows.back();
    for (std::size_t i = 0; i < copies[0].back().size() * shape_.up; ++i) top.push_back(add());
    for (std::uint32_t c = 0; c < shape_.down; ++c)
      for (std::uint32_t tau = 0; tau < copies[c].back().size(); ++tau)
        for (std::uint32_t i = 0; i < shape_.up; ++i) {
          const std::uint32_t lower = copies[c].back()[tau], upper = top[tau * shape_.up + i];
          switches_[lower].up[i] = {upper, c};
          switches_[upper].down[c] = {lower, i};
        }
    for (const std::uint32_t id : top) {
      switches_[id].first = switches_[switches_[id].down.front().to].first;
      switches_[id].last = switches_[switches_[id].down.back().to].last;
    }
    return rows;
  }

  /// The top row in w equal parts: port i of a switch of part p goes to port p of its like in part i.
  void connect_top(const std::vector<std::uint32_t>& top) {
    if (shape_.levels == 1) return;
    const std::size_t part = top.size() / shape_.up;
    for (std::size_t p = 0; p < shape_.up; ++p)
      for (std::size_t k = 0; k < part; ++k)
        for (std::size_t i = 0; i < shape_.up; ++i)
          if (i != p)
            switches_[top[p * part + k]].across[i] = {top[i * part + k], static_cast<std::uint32_t>(p)};
  }

  FatTreeShape shape_;
  std::uint32_t nodes_ = 0;
  std::vector<Switch> switches_;
  std::vector<std::uint32_t> leaf_of_;
  Rows rows_;
};

/// Walks granted paths and holds their links: each may be taken once.
class TreeJudge {
 public:
  explicit TreeJudge(const TreeGraph& graph) : graph_(graph) {}

  /// What is wrong with this path; empty where nothing is. Its links are taken then.
  std::string take(Connection c, const TreePath& path) {
    std::set<Link> links;
    std::string fault = walk(c, path, links);
    for (const Link& link : links)
      if (fault.empty() && taken_.contains(link))
        fault = fmt::format("{} -> {}: link taken twice: {} {} {}", c.source, c.destination,
                            static_cast<char>(std::get<0>(link)), std::get<1>(link), std::get<2>(link));
    if (fault.empty()) taken_.insert(links.begin(), links.end());
    return fault;
  }

  void give_back(Connection c, const TreePath& path) {
    std::set<Link> links;
    walk(c, path, links);
    for (const Link& link : links) taken_.erase(link);
  }

  std::size_t links_taken() const { return taken_.size(); }

  /// Whether some path with one turn is free, found by trying all of them.
  bool some_path(Connection c) const {
    TreePath path;
    if (taken_.contains({'s', c.source, 0}) || taken_.contains({'r', c.destination, 0})) return false;
    return some_path(c, path, graph_.leaf(c.source));
  }

 private:
  using Link = std::tuple<char, std::uint32_t, std::uint32_t>;  // direction, switch (or node), port

  bool some_path(Connection c, TreePath& path, std::uint32_t at) const {
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
      if (some_path(c, path, graph_.at(at).up[port].to)) return true;
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
      const auto& ways = h + 1 < graph_.levels() ? switch_here.up : switch_here.across;
      if (path.up[h] >= ways.size() || ways[path.up[h]].to == ~0U)
        return fmt::format("{} -> {}: no port {} up at level {}", c.source, c.destination, path.up[h],
                           switch_here.level);
      links.insert({'u', at, path.up[h]});
      at = ways[path.up[h]].to;
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

/// What is wrong with these grants of these requests on an empty tree; empty where nothing is.
inline std::string tree_fault(const TreeGraph& graph, std::span<const Connection> requests,
                              std::span<const TreePath> paths, std::size_t granted) {
  TreeJudge judge(graph);
  std::size_t found = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!paths[i].granted) continue;
    ++found;
    if (std::string fault = judge.take(requests[i], paths[i]); !fault.empty()) return fault;
  }
  if (found != granted) return fmt::format("says that it granted {}, but {} paths are", granted, found);
  return {};
}

}  // namespace hybrid
