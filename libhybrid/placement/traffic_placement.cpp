#include "libhybrid/placement/traffic_placement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hybrid {

namespace {

using Group = std::vector<std::uint32_t>;  // of ranks, in their order
using Neighbours = std::vector<std::map<std::uint32_t, Bytes>>;

Neighbours neighbours_of(const std::vector<Group>& groups, const std::map<Connection, Bytes>& bytes) {
  std::vector<std::uint32_t> group_of;
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (const std::uint32_t rank : groups[g]) {
      if (rank >= group_of.size()) group_of.resize(rank + 1);
      group_of[rank] = g;
    }
  Neighbours neighbours(groups.size());
  for (const auto& [connection, sum] : bytes) {
    const std::uint32_t from = group_of[connection.source], to = group_of[connection.destination];
    if (from == to) continue;
    neighbours[from][to] += sum;
    neighbours[to][from] += sum;
  }
  return neighbours;
}

/// Joins groups to groups of `size` of them.
std::vector<Group> join(const std::vector<Group>& groups, std::size_t size,
                        const std::map<Connection, Bytes>& bytes) {
  const Neighbours neighbours = neighbours_of(groups, bytes);
  std::vector<Bytes> left(groups.size());  // traffic with groups that are not joined
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const auto& [other, sum] : neighbours[g]) left[g] += sum;
  std::vector<bool> joined(groups.size());
  const auto most = [&](const std::vector<Bytes>& value) {
    std::size_t best = groups.size();
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (!joined[g] && (best == groups.size() || value[g] > value[best])) best = g;
    return best;
  };
  std::vector<Group> result;
  for (std::size_t done = 0; done < groups.size();) {
    std::vector<Bytes> near(groups.size());  // traffic with the new group
    Group& group = result.emplace_back();
    for (std::size_t k = 0; k < size && done < groups.size(); ++k, ++done) {
      const std::size_t next = most(k == 0 ? left : near);
      joined[next] = true;
      group.insert(group.end(), groups[next].begin(), groups[next].end());
      for (const auto& [other, sum] : neighbours[next]) {
        near[other] += sum;
        left[other] -= sum;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<RankPlacement> placements_to_try(const std::vector<Port>& given, std::uint32_t tree_down,
                                             const std::map<Connection, Bytes>& bytes) {
  const auto ranks = static_cast<std::uint32_t>(given.size());
  std::map<Port, std::size_t> ranks_on;
  for (const Port port : given) ++ranks_on[port];
  std::size_t largest = 0;
  for (const auto& [port, count] : ranks_on) largest = std::max(largest, count);
  std::vector<RankPlacement> all;
  if (ranks_on.size() < 2 || (largest == 1 && tree_down == 0)) return all;

  const auto add = [&](std::string name, std::vector<Port> ports) {
    const auto equal = [&](const RankPlacement& other) { return other.port_of_rank == ports; };
    if (ports != given && std::none_of(all.begin(), all.end(), equal))
      all.push_back({std::move(name), std::move(ports)});
  };
  const auto in_order = [&](const Group& order) {
    std::vector<Port> ports(ranks);
    auto next = order.begin();
    for (const auto& [port, count] : ranks_on)
      for (std::size_t k = 0; k < count; ++k) ports[*next++] = port;
    return ports;
  };
  Group order(ranks);
  std::iota(order.begin(), order.end(), 0);
  add("consecutive ranks", in_order(order));

  std::vector<Port> round_robin;
  auto free = ranks_on;
  while (round_robin.size() < ranks)
    for (auto& [port, count] : free)
      if (count > 0) {
        --count;
        round_robin.push_back(port);
      }
  add("round robin", std::move(round_robin));

  std::vector<Group> groups;
  for (const std::uint32_t rank : order) groups.push_back({rank});
  if (largest > 1) groups = join(groups, largest, bytes);
  while (tree_down > 1 && groups.size() > 1) groups = join(groups, tree_down, bytes);
  order.clear();
  for (const Group& group : groups) order.insert(order.end(), group.begin(), group.end());
  add("by traffic", in_order(order));
  return all;
}

}  // namespace hybrid
