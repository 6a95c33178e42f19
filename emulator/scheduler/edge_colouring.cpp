#include "emulator/scheduler/edge_colouring.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/weighted_matching.h"

namespace hybrid {

std::uint32_t maximum_degree(std::span<const Connection> connections, std::uint32_t ports) {
  std::vector<std::uint32_t> out(ports), in(ports);
  std::uint32_t most = 0;
  for (const Connection& c : connections) most = std::max({most, ++out[c.source], ++in[c.destination]});
  return most;
}

namespace {

using Colour = std::uint32_t;
using Vertex = std::uint32_t;  // inputs 0 .. N-1, outputs N .. 2N-1
constexpr std::uint32_t kNoEdge = ~std::uint32_t{0};

/// Whole edges are moved, so that the edges of one part are contiguous in memory.
struct Edge {
  Vertex input, output;
  Colour colour;
  std::uint32_t connection;
};

/// The edge of each colour at each vertex. A vertex with a degree close to the number of colours has one cell
/// per colour; the others, such as the leaves of a star, have a list of their edges: memory is O(E).
class HeldEdges {
 public:
  /// Removes all edges. `colours` must be at least the degree of every vertex in `edges`.
  void reset(std::span<const Edge> edges, std::uint32_t vertices, std::uint32_t colours) {
    std::vector<std::uint32_t> degree(vertices);
    for (const Edge& e : edges) {
      ++degree[e.input];
      ++degree[e.output];
    }
    first_.resize(vertices + std::size_t{1});
    count_.assign(vertices, 0);
    std::size_t cells = 0;
    for (Vertex v = 0; v < vertices; ++v) {
      first_[v] = cells;
      const bool listed = std::uint64_t{degree[v]} * kSparse < colours;
      cells += listed ? 2 * std::size_t{degree[v]} : colours;  // listed: a colour and an edge each
      if (!listed) count_[v] = kTable;
    }
    first_[vertices] = cells;
    cells_.assign(cells, kNoEdge);
    is_held_.assign(colours, 0);
  }

  std::uint32_t at(Vertex v, Colour c) const {
    const std::uint32_t* const cells = cells_.data() + first_[v];
    if (count_[v] == kTable) return cells[c];
    for (std::size_t k = 0; k < count_[v]; ++k)
      if (cells[2 * k] == c) return cells[2 * k + 1];
    return kNoEdge;
  }
  void set(Vertex v, Colour c, std::uint32_t edge) {
    std::uint32_t* const cells = cells_.data() + first_[v];
    if (count_[v] == kTable) {
      cells[c] = edge;
      return;
    }
    const std::size_t end = count_[v]++;
    cells[2 * end] = c;
    cells[2 * end + 1] = edge;
  }
  /// Removes the edge that at() returns, if there is one.
  void clear(Vertex v, Colour c) {
    std::uint32_t* const cells = cells_.data() + first_[v];
    if (count_[v] == kTable) {
      cells[c] = kNoEdge;
      return;
    }
    for (std::size_t k = 0; k < count_[v]; ++k) {
      if (cells[2 * k] != c) continue;
      const std::size_t last = --count_[v];
      cells[2 * k] = cells[2 * last];
      cells[2 * k + 1] = cells[2 * last + 1];
      return;
    }
  }
  /// Returns the lowest colour without an edge at `v`; there is one.
  Colour free_at(Vertex v) {
    const std::uint32_t* const cells = cells_.data() + first_[v];
    Colour c = 0;
    if (count_[v] == kTable) {
      while (cells[c] != kNoEdge) ++c;
      return c;
    }
    for (std::size_t k = 0; k < count_[v]; ++k) is_held_[cells[2 * k]] = 1;
    while (is_held_[c] != 0) ++c;
    for (std::size_t k = 0; k < count_[v]; ++k) is_held_[cells[2 * k]] = 0;
    return c;
  }

 private:
  static constexpr std::uint64_t kSparse = 8;  // a vertex with more colours per edge than this has a list
  static constexpr std::uint32_t kTable = ~std::uint32_t{0};
  std::vector<std::size_t> first_;    // index of each vertex's cells
  std::vector<std::uint32_t> count_;  // length of the list, or kTable
  std::vector<std::uint32_t> cells_;
  std::vector<unsigned char> is_held_;  // by colour, used by free_at()
};

class MultigraphColouring {
 public:
  explicit MultigraphColouring(std::uint32_t ports)
      : ports_(ports), at_(2 * std::size_t{ports}), left_(2 * std::size_t{ports}) {}

  /// Colours `edges`, whose maximum degree is at most `degree`, with base .. base + degree - 1. Reorders
  /// them.
  void colour_exactly(std::span<Edge> edges, std::uint32_t degree, Colour base) {
    if (edges.empty()) return;
    if (std::has_single_bit(degree)) return colour_by_splits(edges, degree, base);
    const std::uint32_t half = (degree + 1) / 2;
    const std::size_t middle = split_edges(edges);
    colour_exactly(edges.first(middle), half, base);
    // The other half has at most degree `half`; together with `moved` colours of this one, a power of two.
    const std::uint32_t power = std::bit_ceil(half);
    const std::uint32_t moved = power - half;
    const Colour kept = base + half - moved;
    const auto stay = std::partition(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(middle),
                                     [&](const Edge& e) { return e.colour < kept; });
    colour_by_splits({stay, edges.end()}, power, kept);
    if (degree % 2 != 0) remove_one_colour(edges, degree, base);
  }

 private:
  void colour_by_splits(std::span<Edge> edges, std::uint32_t degree, Colour base) {
    if (edges.empty()) return;
    if (degree == 1) {
      for (Edge& e : edges) e.colour = base;
      return;
    }
    const std::size_t middle = split_edges(edges);
    colour_by_splits(edges.first(middle), degree / 2, base);
    colour_by_splits(edges.subspan(middle), degree / 2, base + degree / 2);
  }

  /// Divides the edges so that each vertex of degree d has floor(d / 2) or ceil(d / 2) in either part, and
  /// moves the first part to the front: along a trail, edges are assigned to the parts in turn. The graph is
  /// bipartite, so that a closed trail has even length; open trails begin and end at vertices of odd degree.
  /// Returns the size of the first part.
  std::size_t split_edges(std::span<Edge> edges) {
    // Only vertices with edges are processed: there are many small parts. All of left_ is 0 between the
    // calls.
    touched_.clear();
    for (const Edge& e : edges) {
      ++left_[e.input];
      ++left_[e.output];
    }
    if (edges.size() > ports_ / 8) {
      for (Vertex v = 0; v < 2 * ports_; ++v)
        if (left_[v] != 0) touched_.push_back(v);
    } else {
      for (const Edge& e : edges) touched_.insert(touched_.end(), {e.input, e.output});
      std::sort(touched_.begin(), touched_.end());
      touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    }
    odd_.clear();
    std::uint32_t first = 0;
    for (const Vertex v : touched_) {
      if (left_[v] % 2 != 0) odd_.push_back(v);
      at_[v] = first;
      first += left_[v];
    }
    around_.resize(2 * edges.size());
    part_.assign(edges.size(), kNoPart);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      around_[at_[edges[i].input]++] = i;
      around_[at_[edges[i].output]++] = i;
    }
    for (const Vertex v : touched_) at_[v] -= left_[v];

    for (const Vertex v : odd_)
      if (left_[v] % 2 != 0) walk_trail(edges, v);
    for (const Vertex v : touched_) {
      if (v >= ports_) break;
      while (left_[v] > 0) walk_trail(edges, v);
    }

    second_.clear();
    std::size_t middle = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (part_[i] != 0)
        second_.push_back(edges[i]);
      else
        edges[middle++] = edges[i];
    }
    std::copy(second_.begin(), second_.end(), edges.begin() + static_cast<std::ptrdiff_t>(middle));
    return middle;
  }

  /// Edges that the trail follows from an input are put in one part, those that it follows from an output in
  /// the other: alternately along the trail.
  void walk_trail(std::span<const Edge> edges, Vertex v) {
    while (left_[v] > 0) {
      std::uint32_t i = around_[at_[v]++];
      while (part_[i] != kNoPart) i = around_[at_[v]++];
      const bool from_input = v < ports_;
      part_[i] = from_input ? 0 : 1;
      --left_[v];
      v = from_input ? edges[i].output : edges[i].input;
      --left_[v];
    }
  }

  /// Given edges coloured with base .. base + degree: removes the smallest class and recolours its edges with
  /// the other colours.
  void remove_one_colour(std::span<Edge> edges, std::uint32_t degree, Colour base) {
    std::vector<std::uint32_t> size(degree + 1);
    for (const Edge& e : edges) ++size[e.colour - base];
    const auto least = static_cast<Colour>(std::min_element(size.begin(), size.end()) - size.begin());
    held_.reset(edges, 2 * ports_, degree);
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      Edge& e = edges[i];
      if (e.colour - base == least) {
        out.push_back(i);
        continue;
      }
      if (e.colour - base == degree)
        e.colour = base + least;  // the last colour is renamed to the removed one
      hold_edge(edges, i, e.colour - base);
    }
    for (const std::uint32_t i : out) insert_edge(edges, i, base);
  }

  void hold_edge(std::span<const Edge> edges, std::uint32_t i, Colour c) {
    held_.set(edges[i].input, c, i);
    held_.set(edges[i].output, c, i);
  }

  /// Colours edge i with a colour that is free at both ends. To free it, exchanges two colours along the path
  /// that begins at the output with the input's free colour; the path cannot reach the input, which has no
  /// edge of that colour.
  void insert_edge(std::span<Edge> edges, std::uint32_t i, Colour base) {
    Edge& edge = edges[i];
    const Colour a = held_.free_at(edge.input), b = held_.free_at(edge.output);
    path_.clear();
    Vertex at = edge.output;
    for (Colour c = a; held_.at(at, c) != kNoEdge; c = c == a ? b : a) {
      const std::uint32_t next = held_.at(at, c);
      path_.push_back(next);
      at = at == edges[next].input ? edges[next].output : edges[next].input;
    }
    for (const std::uint32_t p : path_) {
      held_.clear(edges[p].input, edges[p].colour - base);
      held_.clear(edges[p].output, edges[p].colour - base);
    }
    for (const std::uint32_t p : path_) {
      const Colour c = edges[p].colour - base == a ? b : a;
      edges[p].colour = base + c;
      hold_edge(edges, p, c);
    }
    edge.colour = base + a;
    hold_edge(edges, i, a);
  }

  static constexpr unsigned char kNoPart = 2;
  std::uint32_t ports_;
  // split_edges(): edges at each vertex, as positions in the span.
  std::vector<std::uint32_t> at_, left_, around_;
  std::vector<Vertex> touched_, odd_;
  std::vector<unsigned char> part_;
  std::vector<Edge> second_;
  // insert_edge(): the edge of a colour at a vertex.
  HeldEdges held_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> colour_edges(std::span<const Connection> connections, std::uint32_t ports) {
  std::vector<Edge> edges(connections.size());
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    edges[i] = {connections[i].source, connections[i].destination + ports, 0, i};
  // Sorted by input: neighbours in the graph are then neighbours in memory.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.input != b.input ? a.input < b.input : a.connection < b.connection;
  });
  if (!edges.empty()) MultigraphColouring(ports).colour_exactly(edges, maximum_degree(connections, ports), 0);
  std::vector<std::uint32_t> colours(connections.size());
  for (const Edge& e : edges) colours[e.connection] = e.colour;
  return colours;
}

namespace {

// `edge-colouring`: fits a working set into slots, exactly. Without a limit, in as few slots as its maximum
// degree. With a limit, the connections that carry the most bytes in total are granted and the others left
// out: a set fits into k slots if and only if no port has more than k of its connections, so that the best
// such set is a b-matching, which is found exactly too. Both also hold with fixed slots, since those get no
// further connections.

class EdgeColouring final : public SlotFitter {
 public:
  SlotFit fit(const SlotProblem& problem) override {
    FixedSlots fixed = take_fixed(problem);
    const RequestSet& set = problem.set;
    std::vector<Connection> connections;
    connections.reserve(fixed.rest.size());
    for (const std::size_t i : fixed.rest) connections.push_back(set.requests[i].connection);

    if (fixed.slots_left == 0) {
      connections.clear();
      fixed.rest.clear();
    } else if (maximum_degree(connections, set.ports) > fixed.slots_left) {
      keep_most_bytes(set, fixed, connections);
    }
    const std::vector<std::uint32_t> colours = colour_edges(connections, set.ports);
    const std::uint32_t first = fixed.fit.slots;
    for (std::size_t k = 0; k < colours.size(); ++k) fixed.fit.slot_of[fixed.rest[k]] = first + colours[k];
    fixed.fit.slots = first + maximum_degree(connections, set.ports);
    return std::move(fixed.fit);
  }

 private:
  static void keep_most_bytes(const RequestSet& set, FixedSlots& fixed,
                              std::vector<Connection>& connections) {
    WeightedMatching matching(connections, set.ports, fixed.slots_left);
    const auto most = static_cast<Bytes>(matching.largest_weight());
    std::vector<std::int64_t> weights;
    weights.reserve(connections.size());
    for (const std::size_t i : fixed.rest)  // all sizes are known, or none (count_unknown_as_one_byte)
      weights.push_back(static_cast<std::int64_t>(std::clamp<Bytes>(set.requests[i].bytes, 1, most)));
    matching.solve(weights);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < connections.size(); ++k)
      if (matching.chosen(k)) {
        connections[kept] = connections[k];
        fixed.rest[kept++] = fixed.rest[k];
      }
    connections.resize(kept);
    fixed.rest.resize(kept);
  }
};

class EdgeColouringAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<SlotFitter> slot_fitter() const override { return std::make_unique<EdgeColouring>(); }
};

const SchedulerRegistration kEdgeColouring{
    "edge-colouring", "the fewest slots, or with a fixed K the most bytes served; exact (Konig)",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<EdgeColouringAlgorithm>(); }};

}  // namespace

}  // namespace hybrid
