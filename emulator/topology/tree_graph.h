// The graph of a fat tree, built by the recursion of L 3 (copies of the smaller tree and a row of switches on
// top) switch by switch and wire by wire, independently of Theorems 1 and 2: the reference for fat_tree.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class TreeGraph {
 public:
  struct Wire {
    std::uint32_t to = ~0U;    // a switch's id, or a node at the bottom
    std::uint32_t port = ~0U;  // at the other end, of the other direction
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
  /// The ids of a level's switches, in order of their numbers.
  const std::vector<std::uint32_t>& row(std::uint32_t level) const { return rows_[level]; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(rows_.size()); }
  const Switch& at(std::uint32_t id) const { return switches_[id]; }
  std::uint32_t leaf(Port node) const { return leaf_of_[node]; }

  /// Returns the port down that leads to the node; ~0 if the switch is not above the node.
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

  /// Connects the top row, divided into w equal parts: port i of a switch of part p leads to port p of the
  /// corresponding switch of part i.
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

}  // namespace hybrid
