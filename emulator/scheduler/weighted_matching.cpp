#include "emulator/scheduler/weighted_matching.h"

#include <algorithm>
#include <cmath>

namespace hybrid {

namespace {
constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
constexpr std::uint32_t kEndless = ~std::uint32_t{0};
}  // namespace

WeightedMatching::WeightedMatching(std::span<const Connection> connections, std::uint32_t ports,
                                   std::uint32_t capacity)
    : ports_(ports), capacity_(capacity), root_(2 * ports), connections_(connections.size()) {
  const std::size_t arcs = connections.size() + root_;
  const std::size_t nodes = std::size_t{root_} + 1;
  from_.reserve(arcs);
  to_.reserve(arcs);
  for (const Connection& c : connections) {
    from_.push_back(c.source);
    to_.push_back(ports + c.destination);
  }
  for (Node n = 0; n < root_; ++n) {
    from_.push_back(n < ports ? n : root_);
    to_.push_back(n < ports ? root_ : n);
  }
  cost_.assign(arcs, 0);
  flow_.resize(arcs);
  state_.resize(arcs);
  parent_.resize(nodes);
  child_.resize(nodes);
  next_.resize(nodes);
  previous_.resize(nodes);
  arc_.resize(nodes);
  direction_.resize(nodes);
  depth_.resize(nodes);
  potential_.resize(nodes);
  stack_.reserve(nodes);
}

/// Initial tree: no connection is chosen, all units pass through the root.
void WeightedMatching::reset() {
  std::fill(flow_.begin(), flow_.end(), 0);
  std::fill(state_.begin(), state_.end(), kLower);
  parent_[root_] = child_[root_] = arc_[root_] = next_[root_] = previous_[root_] = kNoNode;
  depth_[root_] = 0;
  potential_[root_] = 0;
  search_ = 0;
  for (Node n = 0; n < root_; ++n) {
    const Arc slack = static_cast<Arc>(connections_ + n);
    child_[n] = kNoNode;
    attach(n, root_, slack);
    flow_[slack] = capacity_;
    state_[slack] = kTree;
  }
}

std::int64_t WeightedMatching::solve(std::span<const std::int64_t> weights) {
  reset();
  for (std::size_t i = 0; i < connections_; ++i) cost_[i] = -weights[i];
  refresh(root_);
  while (find_entering_arc()) {
    find_join();
    const bool leaves = find_leaving_arc();
    change_flow(leaves);
    if (leaves) change_tree();
  }
  std::int64_t total = 0;
  for (std::size_t i = 0; i < connections_; ++i)
    if (chosen(i)) total += weights[i];
  return total;
}

/// Block search: selects the arc with the largest violation of optimality in the next block of about
/// sqrt(arcs) arcs, or in the first block after it that has a violation. Returns whether there is one.
bool WeightedMatching::find_entering_arc() {
  const auto arcs = static_cast<Arc>(cost_.size());
  const auto block = std::max<Arc>(10, static_cast<Arc>(std::sqrt(static_cast<double>(arcs))));
  std::int64_t worst = 0;
  Arc left = block;
  for (Arc seen = 0; seen < arcs; ++seen) {
    const Arc a = search_;
    search_ = search_ + 1 == arcs ? 0 : search_ + 1;
    const std::int64_t violation = state_[a] * (cost_[a] + potential_[from_[a]] - potential_[to_[a]]);
    if (violation < worst) {
      worst = violation;
      entering_ = a;
    }
    if (--left == 0) {
      if (worst < 0) return true;
      left = block;
    }
  }
  return worst < 0;
}

void WeightedMatching::find_join() {
  Node u = from_[entering_], v = to_[entering_];
  while (u != v) {
    if (depth_[u] >= depth_[v])
      u = parent_[u];
    else
      v = parent_[v];
  }
  join_ = u;
}

/// Computes how much flow the cycle allows and which tree arc limits it. Returns false if the entering arc
/// itself limits it. Of equal limits, the last arc of the cycle seen from the join is taken, which keeps the
/// tree strongly feasible.
bool WeightedMatching::find_leaving_arc() {
  const bool forward = state_[entering_] == kLower;
  const Node first = forward ? from_[entering_] : to_[entering_];
  const Node second = forward ? to_[entering_] : from_[entering_];
  const auto room = [this](Arc a) { return a < connections_ ? 1 - flow_[a] : kEndless; };
  push_ = entering_ < connections_ ? 1 : kEndless;
  int side = 0;
  for (Node n = first; n != join_; n = parent_[n]) {
    const std::uint32_t most = direction_[n] == kDown ? room(arc_[n]) : flow_[arc_[n]];
    if (most < push_) {
      push_ = most;
      leaving_ = n;
      side = 1;
    }
  }
  for (Node n = second; n != join_; n = parent_[n]) {
    const std::uint32_t most = direction_[n] == kUp ? room(arc_[n]) : flow_[arc_[n]];
    if (most <= push_) {
      push_ = most;
      leaving_ = n;
      side = 2;
    }
  }
  inner_ = side == 1 ? first : second;
  outer_ = side == 1 ? second : first;
  return side != 0;
}

void WeightedMatching::change_flow(bool leaves) {
  if (push_ > 0) {
    // Unsigned arithmetic wraps to the correct result: flows are never negative.
    const std::uint32_t change = state_[entering_] == kLower ? push_ : std::uint32_t{0} - push_;
    flow_[entering_] += change;
    for (Node n = from_[entering_]; n != join_; n = parent_[n])
      flow_[arc_[n]] -= direction_[n] == kUp ? change : std::uint32_t{0} - change;
    for (Node n = to_[entering_]; n != join_; n = parent_[n])
      flow_[arc_[n]] += direction_[n] == kUp ? change : std::uint32_t{0} - change;
  }
  if (leaves) {
    state_[entering_] = kTree;
    state_[arc_[leaving_]] = flow_[arc_[leaving_]] == 0 ? kLower : kUpper;
  } else {
    state_[entering_] = state_[entering_] == kLower ? kUpper : kLower;
  }
}

/// Attaches the subtree below the leaving arc to the inner end of the entering arc.
void WeightedMatching::change_tree() {
  Node node = inner_, parent = outer_;
  Arc arc = entering_;
  for (bool last = false; !last;) {
    last = node == leaving_;
    const Node above = parent_[node];
    const Arc above_arc = arc_[node];
    detach(node);
    attach(node, parent, arc);
    parent = node;
    node = above;
    arc = above_arc;
  }
  refresh(inner_);
}

/// Recomputes depths and potentials of `from` and its subtree: the reduced cost of a tree arc is 0.
void WeightedMatching::refresh(Node from) {
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const Node n = stack_.back();
    stack_.pop_back();
    if (n != root_) {
      depth_[n] = depth_[parent_[n]] + 1;
      potential_[n] = potential_[parent_[n]] - direction_[n] * cost_[arc_[n]];
    }
    for (Node c = child_[n]; c != kNoNode; c = next_[c]) stack_.push_back(c);
  }
}

void WeightedMatching::detach(Node node) {
  if (previous_[node] != kNoNode)
    next_[previous_[node]] = next_[node];
  else
    child_[parent_[node]] = next_[node];
  if (next_[node] != kNoNode) previous_[next_[node]] = previous_[node];
}

void WeightedMatching::attach(Node node, Node parent, Arc arc) {
  parent_[node] = parent;
  arc_[node] = arc;
  direction_[node] = from_[arc] == node ? kUp : kDown;
  previous_[node] = kNoNode;
  next_[node] = child_[parent];
  if (child_[parent] != kNoNode) previous_[child_[parent]] = node;
  child_[parent] = node;
}

}  // namespace hybrid
