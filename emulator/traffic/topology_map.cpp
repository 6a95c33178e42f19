#include "emulator/traffic/topology_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "emulator/tdm/preload_slots.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kMostImproved = 512;  // nodes: improve() tries N^2 exchanges
constexpr std::size_t kMostPartners = 64;     // partners of a node that are candidates for adjacent positions
constexpr std::size_t kMostEquals = 256;      // candidates with compared neighbourhoods
constexpr int kPasses = 8;
constexpr Bytes kStrong = 8;  // partners with less than 1/8 of the bytes of the heaviest one are ignored

/// Undirected graph: the adjacency of its members, and their classes by neighbourhood.
struct Structure {
  explicit Structure(std::vector<std::vector<Port>> graph) : adjacent(std::move(graph)) {
    const std::size_t n = adjacent.size(), words = (n + 63) / 64;
    bits.assign(n, std::vector<std::uint64_t>(words));
    for (std::size_t i = 0; i < n; ++i)
      for (const Port j : adjacent[i]) bits[i][j / 64] |= std::uint64_t{1} << j % 64;
    refine();
  }
  /// Number of common neighbours of `a` and `b`.
  int common(Port a, Port b) const {
    int count = 0;
    for (std::size_t w = 0; w < bits[a].size(); ++w) count += std::popcount(bits[a][w] & bits[b][w]);
    return count;
  }

  std::vector<std::vector<Port>> adjacent;
  std::vector<std::vector<std::uint64_t>> bits;
  std::vector<std::uint64_t> kind;  // equal for members with equal neighbourhoods (colour refinement)

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    return x ^ x >> 31;
  }
  std::size_t kinds() const {
    std::vector<std::uint64_t> sorted = kind;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }
  /// Computes `kind` in a bounded number of rounds, so that isomorphic graphs get the same kinds.
  void refine() {
    kind.assign(adjacent.size(), 1);
    for (int round = 0; round < 64; ++round) {
      const std::size_t before = kinds();
      std::vector<std::uint64_t> next(kind.size());
      for (std::size_t i = 0; i < kind.size(); ++i) {
        next[i] = mix(kind[i] + 0x9E3779B97F4A7C15ULL);
        for (const Port j : adjacent[i]) next[i] += mix(kind[j]);
      }
      kind = std::move(next);
      if (kinds() == before) return;
    }
  }
};

std::vector<std::vector<Port>> graph_of(const FixedTopology& topology) {
  std::vector<std::vector<Port>> graph;
  graph.reserve(topology.nodes());
  for (Port p = 0; p < topology.nodes(); ++p) graph.push_back(topology.neighbors(p));
  return graph;
}

struct Partner {
  Port node;
  Bytes bytes;  // in both directions
};
using Partners = std::vector<std::vector<Partner>>;  // by node, heaviest first

Partners partners_of(const TrafficMatrix& traffic, std::uint32_t nodes) {
  TrafficMatrix both;
  for (const auto& [c, bytes] : traffic) {
    if (bytes == 0) continue;
    both[c] += bytes;
    both[{c.destination, c.source}] += bytes;
  }
  Partners partners(nodes);
  for (const auto& [c, bytes] : both) partners[c.source].push_back({c.destination, bytes});
  for (auto& own : partners)
    std::sort(own.begin(), own.end(), [](const Partner& a, const Partner& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.node < b.node;
    });
  return partners;
}

std::vector<std::vector<Port>> strong_partners(const Partners& partners) {
  std::vector<std::vector<Port>> graph(partners.size());
  for (Port a = 0; a < partners.size(); ++a)
    for (const Partner& b : partners[a])
      if (b.bytes >= std::min(partners[a].front().bytes, partners[b.node].front().bytes) / kStrong)
        graph[a].push_back(b.node);
  return graph;
}

class Placer {
 public:
  Placer(const FixedTopology& topology, const TrafficMatrix& traffic)
      : partners_(partners_of(traffic, topology.nodes())),
        positions_(graph_of(topology)),
        nodes_(strong_partners(partners_)),
        near_(topology.nodes()),
        weight_(topology.nodes(), 0) {
    for (Port p = 0; p < near_.size(); ++p) {
      for (const Port q : positions_.adjacent[p])
        near_[p].insert(near_[p].end(), positions_.adjacent[q].begin(), positions_.adjacent[q].end());
      std::sort(near_[p].begin(), near_[p].end());
      near_[p].erase(std::unique(near_[p].begin(), near_[p].end()), near_[p].end());
      std::erase(near_[p], p);
      for (const Partner& partner : partners_[p]) weight_[p] += partner.bytes;
      all_ += weight_[p];
    }
  }

  std::vector<Port> best_placement() {
    std::vector<Port> best(weight_.size());
    std::iota(best.begin(), best.end(), Port{0});
    Bytes gained = score(best);
    for (int run = 0; run < greedy_runs() && gained < all_; ++run) {
      Random random(static_cast<std::uint64_t>(run) + 1);
      std::vector<Port> placed = place_greedily(run == 0 ? nullptr : &random);
      if (const Bytes bytes = score(placed); bytes > gained) {
        gained = bytes;
        best = std::move(placed);
      }
    }
    if (gained < all_ && weight_.size() <= kMostImproved) improve(best);
    return best;
  }

 private:
  /// Number of greedy placements, chosen so that the time stays bounded for many nodes.
  int greedy_runs() const {
    const std::size_t n = weight_.size();
    return n <= 64 ? 64 : n <= 256 ? 16 : n <= 1024 ? 2 : 1;
  }
  /// Bytes between neighbours; each connection counts at both ends.
  Bytes score(const std::vector<Port>& node_at) const {
    std::vector<Port> position(node_at.size());
    for (Port p = 0; p < node_at.size(); ++p) position[node_at[p]] = p;
    Bytes bytes = 0;
    for (Port n = 0; n < partners_.size(); ++n)
      for (const Partner& m : partners_[n])
        if (are_adjacent(position[n], position[m.node])) bytes += m.bytes;
    return bytes;
  }
  bool are_adjacent(Port p, Port q) const { return (positions_.bits[p][q / 64] >> q % 64 & 1) != 0; }

  struct Candidate {
    Port position, node;
  };

  /// Difference between the neighbourhoods of the position and the node of `c`.
  int mismatch(const Candidate& c, const std::vector<Port>& node_at) const {
    int differences = positions_.kind[c.position] == nodes_.kind[c.node] ? 0 : 8;
    for (const Port near : near_[c.position])
      if (node_at[near] != kNoPort)
        differences += std::abs(positions_.common(c.position, near) - nodes_.common(c.node, node_at[near]));
    return differences;
  }

  /// Returns the first node and position, or the next ones if no traffic connects the rest to placed nodes.
  Candidate choose_start(const std::vector<Port>& node_at, const std::vector<char>& placed) const {
    Candidate c{kNoPort, kNoPort};
    for (Port n = 0; n < placed.size(); ++n)
      if (placed[n] == 0 && (c.node == kNoPort || weight_[n] > weight_[c.node])) c.node = n;
    std::pair<bool, std::ptrdiff_t> best{};
    for (Port p = 0; p < node_at.size(); ++p) {
      if (node_at[p] != kNoPort) continue;
      const auto& adjacent = positions_.adjacent[p];
      const std::pair<bool, std::ptrdiff_t> rating{
          positions_.kind[p] == nodes_.kind[c.node],
          std::count_if(adjacent.begin(), adjacent.end(), [&](Port q) { return node_at[q] == kNoPort; })};
      if (c.position == kNoPort || rating > best) c.position = p, best = rating;
    }
    return c;
  }

  /// Returns one greedy placement. `random` chooses among equal candidates; nullptr: the first of them.
  std::vector<Port> place_greedily(Random* random) const {
    std::vector<Port> node_at(weight_.size(), kNoPort);
    std::vector<char> placed(weight_.size(), 0);
    std::map<std::pair<Port, Port>, Bytes> gains;  // by position and node
    std::vector<Candidate> equals;
    for (std::size_t count = 0; count < weight_.size(); ++count) {
      Bytes most = 0;
      equals.clear();
      for (auto it = gains.begin(); it != gains.end();) {
        const auto& [where, gain] = *it;
        if (placed[where.second] != 0 || node_at[where.first] != kNoPort) {
          it = gains.erase(it);
          continue;
        }
        if (gain > most) equals.clear(), most = gain;
        if (gain == most && equals.size() < kMostEquals) equals.push_back({where.first, where.second});
        ++it;
      }
      const Candidate c =
          equals.empty() ? choose_start(node_at, placed) : most_similar(equals, node_at, random);
      node_at[c.position] = c.node;
      placed[c.node] = 1;
      const std::size_t partners = std::min(partners_[c.node].size(), kMostPartners);
      for (const Port q : positions_.adjacent[c.position])
        for (std::size_t i = 0; i < partners; ++i)
          if (const Partner& m = partners_[c.node][i]; node_at[q] == kNoPort && placed[m.node] == 0)
            gains[{q, m.node}] += m.bytes;
    }
    return node_at;
  }

  Candidate most_similar(const std::vector<Candidate>& equals, const std::vector<Port>& node_at,
                         Random* random) const {
    Candidate best{};
    int least = 0;
    std::uint64_t similar = 0;  // candidates so far
    for (const Candidate& c : equals) {
      const int differences = mismatch(c, node_at);
      if (similar != 0 && differences > least) continue;
      if (differences < least) similar = 0;
      least = differences;
      ++similar;
      if (similar == 1 || (random != nullptr && random->below(similar) == 0)) best = c;
    }
    return best;
  }

  /// Exchanges pairs of nodes as long as that gains bytes, in at most kPasses passes.
  void improve(std::vector<Port>& node_at) const {
    const std::size_t n = node_at.size();
    std::vector<Bytes> between(n * n, 0);
    for (Port a = 0; a < n; ++a)
      for (const Partner& b : partners_[a]) between[a * n + b.node] = b.bytes;
    // Bytes of `node` with its neighbours at `position`, without the node at position `other`.
    const auto at = [&](Port node, Port position, Port other) {
      Bytes bytes = 0;
      for (const Port q : positions_.adjacent[position])
        if (q != other) bytes += between[node * n + node_at[q]];
      return bytes;
    };
    bool any = true;
    for (int pass = 0; pass < kPasses && any; ++pass) {
      any = false;
      for (Port p = 0; p < n; ++p)
        for (Port q = p + 1; q < n; ++q) {
          const Port a = node_at[p], b = node_at[q];
          if (at(a, q, p) + at(b, p, q) <= at(a, p, q) + at(b, q, p)) continue;
          std::swap(node_at[p], node_at[q]);
          any = true;
        }
    }
  }

  Partners partners_;
  Structure positions_, nodes_;
  std::vector<std::vector<Port>> near_;  // by position: positions at two steps
  std::vector<Bytes> weight_;            // by node: bytes of all its traffic
  Bytes all_ = 0;                        // counted as in score()
};

}  // namespace

void add_topology_option(OptionTable& table, std::string& name) {
  std::string names;
  for (std::string_view known : registered_names(FixedTopology::kKind))
    names += (names.empty() ? "" : "|") + std::string(known);
  table.add({"preload-topology", names,
             "the preloaded slots hold this topology, mapped onto the traffic, for the whole run", name,
             [&name](std::string_view text) {
               check_registered("preload-topology", FixedTopology::kKind, text);
               name = text;
             }});
}

void check_topology(std::string_view name, const SwitchParameters& parameters) {
  check_registered("preload-topology", FixedTopology::kKind, name);
  if (parameters.preload == 0)
    throw UserError("preload-topology: no slot is preloaded that could hold a " + std::string(name),
                    "Give --preload 1 or more of the --slots.");
}

std::vector<Port> place(const FixedTopology& topology, const TrafficMatrix& traffic) {
  return Placer(topology, traffic).best_placement();
}

TopologyPlan plan_topology(const FixedTopology& topology, const TrafficMatrix& traffic, std::uint32_t slots) {
  TopologyPlan plan;
  plan.node_at = place(topology, traffic);
  plan.slots_needed = topology.slots_needed();
  for (const auto& [connection, bytes] : traffic) plan.all += bytes;
  std::vector<std::pair<Connection, Bytes>> order;
  for (Port p = 0; p < topology.nodes(); ++p)
    for (const Port q : topology.neighbors(p)) {
      const Connection c{plan.node_at[p], plan.node_at[q]};
      const auto found = traffic.find(c);
      order.emplace_back(c, found == traffic.end() ? 0 : found->second);
      plan.on_topology += order.back().second;
    }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  PreloadSlots fitted(topology.nodes(), slots);
  for (const auto& [connection, bytes] : order)
    if (fitted.add(connection)) plan.covered += bytes;
  for (std::uint32_t s = 0; s < slots; ++s) plan.slots.push_back(fitted.slot(s));
  return plan;
}

}  // namespace hybrid
