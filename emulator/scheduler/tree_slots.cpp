#include "emulator/scheduler/tree_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/slot_fitter.h"

namespace hybrid {

std::optional<TreeSlots::Place> TreeSlots::find(Connection c) const {
  for (std::uint32_t s = 0; s < slots(); ++s)
    if (slots_[s].holds(c)) return Place{s, slots_[s].path_of(c.source)};
  return std::nullopt;
}

std::optional<TreeSlots::Place> TreeSlots::request(Connection c) {
  if (const auto there = find(c)) return there;
  for (std::uint32_t s = 0; s < slots(); ++s)
    if (const TreePath path = slots_[s].request(c); path.granted) return Place{s, path};
  return std::nullopt;
}

bool TreeSlots::release(Connection c) {
  for (TreeCircuits& slot : slots_)
    if (slot.release(c)) return true;
  return false;
}

void check_tree_slots(std::uint64_t slots, std::uint32_t nodes) {
  if (slots * nodes > kMostTreeSlotCells)
    throw UserError(fmt::format("slots: more than {} of a tree of {} nodes, too many to store",
                                kMostTreeSlotCells / nodes, nodes),
                    "Give fewer requests, a smaller tree, or fewer --slots.");
}

TreeSlotFit fit_tree_slots(const FatTreeShape& shape, const RequestSet& set, std::uint32_t slots) {
  TreeSlotFit fit;
  TreeSlots in(shape, 1);
  const std::uint32_t nodes = in.slot(0).tree().nodes();
  check_tree_requests(set, nodes);
  for (const Request& request : set.requests) {
    auto place = in.request(request.connection);
    if (!place && (slots == 0 || in.slots() < slots)) {
      check_tree_slots(std::uint64_t{in.slots()} + 1, nodes);
      in.add_slot();
      place = in.request(request.connection);
    }
    fit.slot_of.push_back(place ? place->slot : kNoSlot);
    fit.path_of.push_back(place ? place->path : TreePath{});
    if (place) fit.slots = std::max(fit.slots, place->slot + 1);
  }
  return fit;
}

std::uint32_t least_tree_slots(const FatTreeShape& shape, const RequestSet& set) {
  const FatTree tree(shape);
  check_tree_requests(set, tree.nodes());
  std::uint32_t least = 0;
  const auto count = [&](std::array<std::vector<std::uint32_t>, 2>& load, std::uint32_t links) {
    for (const auto& direction : load)
      for (const std::uint32_t connections : direction)
        least = std::max(least, (connections + links - 1) / links);
  };
  std::array<std::vector<std::uint32_t>, 2> nodes;
  for (auto& direction : nodes) direction.resize(tree.nodes());
  for (const Request& request : set.requests) {
    ++nodes[0][request.connection.source];
    ++nodes[1][request.connection.destination];
  }
  count(nodes, 1);
  // A subtree of height h + 1 has w^(h+1) links up, whichever ports are taken inside it. All connections that
  // do not turn inside it use them.
  for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) {
    std::array<std::vector<std::uint32_t>, 2> subtrees;
    for (auto& direction : subtrees) direction.resize(tree.nodes() / shape.down / tree.down_power(h));
    for (const Request& request : set.requests) {
      const std::uint32_t from = tree.leaf(request.connection.source) / tree.down_power(h);
      const std::uint32_t to = tree.leaf(request.connection.destination) / tree.down_power(h);
      if (from == to && h >= tree.lowest_turn()) continue;
      ++subtrees[0][from];
      ++subtrees[1][to];
    }
    count(subtrees, tree.up_power(h + 1));
  }
  return least;
}

TreeSlotFit fit_slot_by_slot(TreeScheduler& scheduler, const RequestSet& set, std::uint32_t slots) {
  TreeSlotFit fit;
  fit.slot_of.assign(set.requests.size(), kNoSlot);
  fit.path_of.resize(set.requests.size());
  std::vector<std::size_t> left(set.requests.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<Connection> connections;
  std::vector<TreePath> paths;
  for (; !left.empty() && (slots == 0 || fit.slots < slots); ++fit.slots) {
    connections.clear();
    for (const std::size_t i : left) connections.push_back(set.requests[i].connection);
    paths.resize(left.size());
    scheduler.schedule(connections, paths);
    std::size_t refused = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (!paths[k].granted) {
        left[refused++] = left[k];
        continue;
      }
      fit.slot_of[left[k]] = fit.slots;
      fit.path_of[left[k]] = paths[k];
    }
    if (refused == left.size())
      throw std::logic_error("a fat-tree scheduler grants nothing on an empty tree");
    left.resize(refused);
  }
  return fit;
}

void check_tree_requests(const RequestSet& set, std::uint32_t nodes) {
  for (const Request& request : set.requests)
    if (std::max(request.connection.source, request.connection.destination) >= nodes)
      throw UserError(fmt::format("request {} -> {}: the tree has the nodes 0 to {}",
                                  request.connection.source, request.connection.destination, nodes - 1),
                      "Give a larger tree, or requests between its nodes.");
}

}  // namespace hybrid
