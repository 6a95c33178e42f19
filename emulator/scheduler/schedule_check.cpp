#include "emulator/scheduler/schedule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emulator/scheduler/demand_drain.h"

namespace hybrid {

namespace {

std::string shown(Connection c) { return fmt::format("{} -> {}", c.source, c.destination); }

}  // namespace

std::string fault_of(const RequestSet& set) {
  std::unordered_set<Connection> seen;
  for (const Request& r : set.requests) {
    const Connection c = r.connection;
    if (c.source >= set.ports || c.destination >= set.ports)
      return fmt::format("{} is not a connection of {} ports", shown(c), set.ports);
    if (c.source == c.destination) return fmt::format("{} connects a port to itself", shown(c));
    if (!seen.insert(c).second) return fmt::format("{} is requested twice", shown(c));
  }
  return {};
}

std::string fault_of(const SlotProblem& problem, const SlotFit& fit) {
  const auto& requests = problem.set.requests;
  if (fit.slot_of.size() != requests.size())
    return fmt::format("{} requests, but {} results", requests.size(), fit.slot_of.size());
  if (problem.slots != 0 && fit.slots > problem.slots)
    return fmt::format("{} slots used of {}", fit.slots, problem.slots);
  // Sorted by slot, so that the connections of a slot are contiguous, however many slots there are.
  struct Grant {
    std::uint32_t slot;
    Connection connection;
  };
  std::vector<Grant> grants;
  std::unordered_set<Connection> fixed;
  for (const Configuration& slot : problem.fixed)
    for (const Connection& c : slot.connections()) fixed.insert(c);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Connection c = requests[i].connection;
    const std::uint32_t slot = fit.slot_of[i];
    const bool preloaded = fixed.contains(c);
    if (slot == kNoSlot) {
      if (problem.slots == 0) return fmt::format("{} was left out though slots are not limited", shown(c));
      if (preloaded) return fmt::format("{} was left out though a fixed slot holds it", shown(c));
      continue;
    }
    if (slot >= fit.slots)
      return fmt::format("{} is in slot {}, but only {} slots are used", shown(c), slot, fit.slots);
    if (slot < problem.fixed.size()) {
      if (!problem.fixed[slot].holds(c)) return fmt::format("{} was added to fixed slot {}", shown(c), slot);
      continue;
    }
    if (preloaded) return fmt::format("{} is in a dynamic slot though a fixed slot holds it", shown(c));
    grants.push_back({slot, c});
  }
  std::sort(grants.begin(), grants.end(), [](const Grant& a, const Grant& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.connection < b.connection;
  });
  std::vector<std::uint32_t> input_in(problem.set.ports, kNoSlot), output_in(problem.set.ports, kNoSlot);
  std::uint32_t last = kNoSlot, distinct = 0;
  for (const Grant& g : grants) {
    if (g.slot != last) ++distinct;
    last = g.slot;
    if (std::exchange(input_in[g.connection.source], g.slot) == g.slot)
      return fmt::format("input {} has two connections in slot {}", g.connection.source, g.slot);
    if (std::exchange(output_in[g.connection.destination], g.slot) == g.slot)
      return fmt::format("output {} has two connections in slot {}", g.connection.destination, g.slot);
  }
  if (problem.fixed.size() + distinct != fit.slots)
    return fmt::format("{} slots are reported as used, but {} are", fit.slots,
                       problem.fixed.size() + distinct);
  return {};
}

std::string fault_of(const DemandProblem& problem, std::span<const TimedConfiguration> schedule) {
  std::unordered_set<Connection> requested;
  for (const Request& r : problem.set.requests) requested.insert(r.connection);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const TimedConfiguration& step = schedule[k];
    if (step.configuration.ports() != problem.set.ports)
      return fmt::format("configuration {} is of {} ports, not {}", k, step.configuration.ports(),
                         problem.set.ports);
    if (step.lasts < Time{}) return fmt::format("configuration {} lasts {}", k, to_string(step.lasts));
    for (const Connection& c : step.configuration.connections())
      if (!requested.contains(c))
        return fmt::format("configuration {} has {}, which is not requested", k, shown(c));
  }
  const Drain drain = drain_time(problem, schedule);
  if (drain.undrained != 0) return fmt::format("{} bytes are never carried", drain.undrained);
  return {};
}

std::string fault_of(const FatTreeShape& tree, std::span<const Connection> requests,
                     std::span<const TreePath> paths) {
  if (paths.size() != requests.size())
    return fmt::format("{} requests, but {} results", requests.size(), paths.size());
  std::uint64_t ports = 1;
  for (std::uint32_t level = 0; level < tree.levels; ++level) ports *= tree.down;
  std::unordered_set<Port> inputs, outputs;
  // A link: its level, the address of its side above that level, and the ports taken so far, as one number.
  using Link = std::array<std::uint64_t, 3>;
  std::vector<Link> up, down;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Connection c = requests[i];
    const TreePath& path = paths[i];
    if (!path.granted) continue;
    if (c.source >= ports || c.destination >= ports)
      return fmt::format("{} is not a connection of {} nodes", shown(c), ports);
    if (!inputs.insert(c.source).second) return fmt::format("node {} sends twice", c.source);
    if (!outputs.insert(c.destination).second) return fmt::format("node {} receives twice", c.destination);
    const bool across = path.turn == tree.levels && tree.levels > 1;
    if (path.turn >= tree.levels && !across)
      return fmt::format("{} turns above the tree, at {}", shown(c), path.turn);
    const std::uint32_t top = tree.levels - 1, climbed = across ? top : path.turn;
    for (std::uint32_t h = 0; h < path.turn; ++h)
      if (path.up[h] >= tree.up)
        return fmt::format("{} takes upward port {} of {} at level {}", shown(c), path.up[h], tree.up, h);
    if (across && path.up[top] == path.up[0])
      return fmt::format("{} crosses the top to its own switch", shown(c));
    std::uint64_t source = c.source / tree.down, destination = c.destination / tree.down;
    std::uint64_t ports_up = 0, ports_down = 0;  // ports taken so far
    for (std::uint32_t h = 0; h < climbed; ++h) {
      ports_up = ports_up * tree.up + path.up[h];
      ports_down = ports_down * tree.up + path.up[across && h == 0 ? top : h];
      up.push_back({h, source, ports_up});
      down.push_back({h, destination, ports_down});
      source /= tree.down;
      destination /= tree.down;
    }
    if (across) up.push_back({top, source, ports_up * tree.up + path.up[top]});
    if (source != destination)
      return fmt::format("{} turns at level {}, below a common switch", shown(c), path.turn);
  }
  for (auto* links : {&up, &down}) {
    std::sort(links->begin(), links->end());
    const auto twice = std::adjacent_find(links->begin(), links->end());
    if (twice != links->end())
      return fmt::format("two connections share {} link {} of switch {} between levels {} and {}",
                         links == &up ? "an upward" : "a downward", (*twice)[2], (*twice)[1], (*twice)[0],
                         (*twice)[0] + 1);
  }
  return {};
}

std::string fault_of(const FatTreeShape& tree, const RequestSet& set, std::uint32_t slots,
                     const TreeSlotFit& fit) {
  const std::size_t requests = set.requests.size();
  if (fit.slot_of.size() != requests || fit.path_of.size() != requests)
    return fmt::format("{} requests, but {} slots and {} paths", requests, fit.slot_of.size(),
                       fit.path_of.size());
  if (slots != 0 && fit.slots > slots) return fmt::format("{} slots used of {}", fit.slots, slots);
  std::vector<std::size_t> by_slot;
  for (std::size_t i = 0; i < requests; ++i) {
    const std::uint32_t slot = fit.slot_of[i];
    if (slot == kNoSlot) {
      if (slots == 0)
        return fmt::format("{} was left out though slots are not limited", shown(set.requests[i].connection));
      continue;
    }
    if (slot >= fit.slots || !fit.path_of[i].granted)
      return fmt::format("{} is in slot {} of {}, {} a path", shown(set.requests[i].connection), slot,
                         fit.slots, fit.path_of[i].granted ? "with" : "without");
    by_slot.push_back(i);
  }
  std::sort(by_slot.begin(), by_slot.end(), [&](std::size_t a, std::size_t b) {
    return fit.slot_of[a] != fit.slot_of[b] ? fit.slot_of[a] < fit.slot_of[b] : a < b;
  });
  std::uint32_t distinct = 0;
  std::vector<Connection> connections;
  std::vector<TreePath> paths;
  for (std::size_t k = 0; k < by_slot.size(); ++distinct) {
    const std::uint32_t slot = fit.slot_of[by_slot[k]];
    connections.clear();
    paths.clear();
    for (; k < by_slot.size() && fit.slot_of[by_slot[k]] == slot; ++k) {
      connections.push_back(set.requests[by_slot[k]].connection);
      paths.push_back(fit.path_of[by_slot[k]]);
    }
    if (const std::string fault = fault_of(tree, connections, paths); !fault.empty())
      return fmt::format("slot {}: {}", slot, fault);
  }
  if (distinct != fit.slots)
    return fmt::format("{} slots are reported as used, but {} are", fit.slots, distinct);
  return {};
}

}  // namespace hybrid
