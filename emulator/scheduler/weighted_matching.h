// Connections of the largest total weight such that no port has more than `capacity` of them: a bipartite
// b-matching; with capacity 1 a maximum weight matching. Exact for integer weights.
//
// The problem is a minimum-cost flow, solved by the network simplex on spanning trees that stay strongly
// feasible (Cunningham 1976), so that it terminates. Every solve starts from the initial tree: with other
// weights this is several times faster than starting from the last tree.
//
//      input --slack--> root --slack--> output       each input supplies `capacity` units, each output takes
//      as input ----connection (1)-------> output       many; units through the root are not served
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class WeightedMatching {
 public:
  /// Ports 0 .. ports-1, capacity > 0.
  WeightedMatching(std::span<const Connection> connections, std::uint32_t ports, std::uint32_t capacity);

  /// The largest weight that solve() accepts.
  std::int64_t largest_weight() const { return (std::int64_t{1} << 61) / (ports_ + 1); }

  /// Chooses connections; `weights[i]` is the weight of connection i, 0 .. largest_weight(). Returns the
  /// total weight of the chosen connections.
  std::int64_t solve(std::span<const std::int64_t> weights);
  /// Whether the last solve() chose the connection.
  bool chosen(std::size_t connection) const { return flow_[connection] != 0; }

 private:
  using Node = std::uint32_t;
  using Arc = std::uint32_t;
  // An arc's state and a tree arc's direction as signs, which the arithmetic uses.
  enum State : signed char { kUpper = -1, kTree = 0, kLower = 1 };
  enum Direction : signed char { kDown = -1, kUp = 1 };

  void reset();
  bool find_entering_arc();
  void find_join();
  bool find_leaving_arc();
  void change_flow(bool leaves);
  void change_tree();
  void refresh(Node from);
  void detach(Node node);
  void attach(Node node, Node parent, Arc arc);

  std::uint32_t ports_ = 0, capacity_ = 0;
  Node root_ = 0;
  std::size_t connections_ = 0;

  // Arcs: the connections, then the inputs' slack, then the outputs'.
  std::vector<Node> from_, to_;
  std::vector<std::int64_t> cost_;
  std::vector<std::uint32_t> flow_;
  std::vector<State> state_;

  // The tree: the parent of each node, the arc to it, the direction of that arc, and the children as linked
  // lists.
  std::vector<Node> parent_, child_, next_, previous_, stack_;
  std::vector<Arc> arc_;
  std::vector<Direction> direction_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::int64_t> potential_;

  // One pivot.
  Arc entering_ = 0, search_ = 0;
  Node join_ = 0, leaving_ = 0, inner_ = 0, outer_ = 0;  // the end of the entering arc below the leaving one
  std::uint32_t push_ = 0;
};

}  // namespace hybrid
