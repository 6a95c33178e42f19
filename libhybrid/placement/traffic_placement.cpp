#include "libhybrid/placement/traffic_placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace hybrid {

namespace {

using RanksOn = std::map<Port, std::size_t>;  // by port

RanksOn ranks_on_ports(const std::vector<Port>& given) {
  RanksOn ranks;
  for (const Port port : given) ++ranks[port];
  return ranks;
}

class ByTraffic {
 public:
  ByTraffic(std::size_t ranks, const std::map<Connection, Bytes>& bytes)
      : neighbours_(ranks), free_(ranks), near_(ranks), ports_(ranks) {
    for (const auto& [c, sum] : bytes) {
      if (c.source == c.destination) continue;
      neighbours_[c.source][c.destination] += sum;
      neighbours_[c.destination][c.source] += sum;
    }
  }

  /// Places `ranks` on `ports`, which are below one switch: each of their groups has `width` ports, aligned.
  void place(const std::vector<std::uint32_t>& ranks, const RanksOn& ports, std::uint64_t width,
             std::uint32_t tree_down) {
    if (ports.size() == 1) {
      for (const std::uint32_t rank : ranks) ports_[rank] = ports.begin()->first;
      return;
    }
    std::map<std::uint64_t, RanksOn> by_number;
    for (const auto& [port, count] : ports) by_number[port / width][port] = count;
    // By falling number of ranks, then in their order.
    std::multimap<std::size_t, const RanksOn*, std::greater<>> groups;
    for (const auto& [number, group] : by_number) {
      std::size_t sum = 0;
      for (const auto& [port, count] : group) sum += count;
      groups.emplace(sum, &group);
    }
    std::vector<std::uint32_t> left = ranks;
    for (const auto& [size, group] : groups)
      place(take_cluster(left, size), *group,
            std::max<std::uint64_t>(1, tree_down == 0 ? 1 : width / tree_down), tree_down);
  }
  std::vector<Port> ports() && { return std::move(ports_); }

 private:
  /// Removes `size` of the ranks that are `left`, in ascending order.
  std::vector<std::uint32_t> take_cluster(std::vector<std::uint32_t>& left, std::size_t size) {
    for (const std::uint32_t rank : left) free_[rank] = true;
    for (const std::uint32_t rank : left) {
      near_[rank] = 0;  // at first: traffic with the others that are left
      for (const auto& [other, sum] : neighbours_[rank]) near_[rank] += free_[other] ? sum : 0;
    }
    std::vector<std::uint32_t> cluster;
    while (cluster.size() < size) {
      std::uint32_t next = left.front();
      for (const std::uint32_t rank : left)
        if (free_[rank] && (!free_[next] || near_[rank] > near_[next])) next = rank;
      if (cluster.empty())  // from now on: traffic with the cluster
        for (const std::uint32_t rank : left) near_[rank] = 0;
      free_[next] = false;
      cluster.push_back(next);
      for (const auto& [other, sum] : neighbours_[next]) near_[other] += sum;
    }
    std::erase_if(left, [&](std::uint32_t rank) { return !free_[rank]; });
    for (const std::uint32_t rank : left) free_[rank] = false;
    std::ranges::sort(cluster);
    return cluster;
  }

  std::vector<std::map<std::uint32_t, Bytes>> neighbours_;
  std::vector<bool> free_;  // of take_cluster()
  std::vector<Bytes> near_;
  std::vector<Port> ports_;
};

}  // namespace

bool placements_are_equal(const std::vector<Port>& given, std::uint32_t tree_down) {
  const RanksOn ranks = ranks_on_ports(given);
  return ranks.size() < 2 || (ranks.size() == given.size() && tree_down == 0);
}

std::vector<RankPlacement> placements_to_try(const std::vector<Port>& given, std::uint32_t tree_down,
                                             const std::map<Connection, Bytes>& bytes) {
  std::vector<RankPlacement> all;
  if (placements_are_equal(given, tree_down)) return all;
  const auto add = [&](std::string name, std::vector<Port> ports) {
    const auto equal = [&](const RankPlacement& other) { return other.port_of_rank == ports; };
    if (ports != given && std::ranges::none_of(all, equal))
      all.push_back({std::move(name), std::move(ports)});
  };
  const RanksOn ranks_on = ranks_on_ports(given);
  std::uint64_t width = 1;  // ports below the switches under the top
  while (tree_down > 1 && width * tree_down <= ranks_on.rbegin()->first) width *= tree_down;
  std::vector<std::uint32_t> ranks(given.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  ByTraffic by_traffic(given.size(), bytes);
  by_traffic.place(ranks, ranks_on, width, tree_down);
  add("by traffic", std::move(by_traffic).ports());

  std::vector<Port> consecutive = given;
  std::ranges::sort(consecutive);
  add("consecutive ranks", std::move(consecutive));

  std::vector<Port> round_robin;
  for (RanksOn free = ranks_on; round_robin.size() < given.size();)
    for (auto& [port, count] : free)
      if (count > 0) {
        --count;
        round_robin.push_back(port);
      }
  add("round robin", std::move(round_robin));
  return all;
}

}  // namespace hybrid
