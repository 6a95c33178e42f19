#include "emulator/scheduler/edge_colouring.h"

#include <algorithm>
#include <bit>
#include <cstddef>

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
constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Edges are moved about whole, so that those of one part lie side by side in the cache.
struct Edge {
  Vertex input, output;
  Colour colour;
  std::uint32_t connection;
};

class Colouring {
 public:
  explicit Colouring(std::uint32_t ports)
      : ports_(ports),
        first_(2 * std::size_t{ports} + 1),
        at_(2 * std::size_t{ports}),
        left_(2 * std::size_t{ports}) {}

  /// Colours `edges`, of maximum degree `degree` at most, with base .. base + degree - 1. Reorders them.
  void colour_exactly(std::span<Edge> edges, std::uint32_t degree, Colour base) {
    if (edges.empty()) return;
    if (std::has_single_bit(degree)) return colour_by_splits(edges, degree, base);
    const std::uint32_t half = (degree + 1) / 2;
    const std::size_t middle = split(edges);
    colour_exactly(edges.first(middle), half, base);
    // The other half has degree `half` at most; with `moved` colours of this one, a power of two.
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
    const std::size_t middle = split(edges);
    colour_by_splits(edges.first(middle), degree / 2, base);
    colour_by_splits(edges.subspan(middle), degree / 2, base + degree / 2);
  }

  /// Divides the edges so that each vertex of degree d has floor(d / 2) or ceil(d / 2) in either part, and
  /// puts the first part's first: along a trail, edges go to the parts in turn. The graph is bipartite, so
  /// that a closed trail is of even length; open ones begin and end where the degree is odd. Returns how
  /// many are in the first part.
  std::size_t split(std::span<Edge> edges) {
    std::fill(first_.begin(), first_.end(), 0);
    for (const Edge& e : edges) {
      ++first_[e.input + 1];
      ++first_[e.output + 1];
    }
    odd_.clear();
    for (Vertex v = 0; v < 2 * ports_; ++v) {
      if (first_[v + 1] % 2 != 0) odd_.push_back(v);
      left_[v] = first_[v + 1];
      first_[v + 1] += first_[v];
      at_[v] = first_[v];
    }
    around_.resize(2 * edges.size());
    part_.assign(edges.size(), kNoPart);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      around_[at_[edges[i].input]++] = i;
      around_[at_[edges[i].output]++] = i;
    }
    std::copy(first_.begin(), first_.end() - 1, at_.begin());

    for (const Vertex v : odd_)
      if (left_[v] % 2 != 0) walk(edges, v);
    for (Vertex v = 0; v < ports_; ++v)
      while (left_[v] > 0) walk(edges, v);

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

  /// Edges that leave an input go to one part, those that leave an output to the other: in turn along the
  /// trail.
  void walk(std::span<const Edge> edges, Vertex v) {
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

  /// `edges` have base .. base + degree: takes the smallest class out, and colours its edges with the rest.
  void remove_one_colour(std::span<Edge> edges, std::uint32_t degree, Colour base) {
    std::vector<std::uint32_t> size(degree + 1);
    for (const Edge& e : edges) ++size[e.colour - base];
    const auto least = static_cast<Colour>(std::min_element(size.begin(), size.end()) - size.begin());
    stride_ = degree;
    held_.assign(2 * std::size_t{ports_} * degree, kNone);
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      Edge& e = edges[i];
      if (e.colour - base == least) {
        out.push_back(i);
        continue;
      }
      if (e.colour - base == degree) e.colour = base + least;  // the last colour takes the free name
      place(edges, i, e.colour - base);
    }
    for (const std::uint32_t i : out) insert(edges, i, base);
  }

  std::uint32_t& held(Vertex v, Colour c) { return held_[v * std::size_t{stride_} + c]; }
  void place(std::span<const Edge> edges, std::uint32_t i, Colour c) {
    held(edges[i].input, c) = held(edges[i].output, c) = i;
  }
  Colour free_at(Vertex v) {
    Colour c = 0;
    while (held(v, c) != kNone) ++c;
    return c;
  }

  /// With a colour free at both ends, made so by exchanging two colours along the path that begins at the
  /// output with the input's free one: it cannot reach the input, which has no edge of that colour.
  void insert(std::span<Edge> edges, std::uint32_t i, Colour base) {
    Edge& edge = edges[i];
    const Colour a = free_at(edge.input), b = free_at(edge.output);
    path_.clear();
    Vertex at = edge.output;
    for (Colour c = a; held(at, c) != kNone; c = c == a ? b : a) {
      const std::uint32_t next = held(at, c);
      path_.push_back(next);
      at = at == edges[next].input ? edges[next].output : edges[next].input;
    }
    for (const std::uint32_t p : path_)
      held(edges[p].input, edges[p].colour - base) = held(edges[p].output, edges[p].colour - base) = kNone;
    for (const std::uint32_t p : path_) {
      const Colour c = edges[p].colour - base == a ? b : a;
      edges[p].colour = base + c;
      place(edges, p, c);
    }
    edge.colour = base + a;
    place(edges, i, a);
  }

  static constexpr unsigned char kNoPart = 2;
  std::uint32_t ports_;
  // split(): edges around each vertex, as positions in the span.
  std::vector<std::uint32_t> first_, at_, left_, around_;
  std::vector<Vertex> odd_;
  std::vector<unsigned char> part_;
  std::vector<Edge> second_;
  // insert(): the edge of a colour at a vertex.
  std::uint32_t stride_ = 0;
  std::vector<std::uint32_t> held_, path_;
};

}  // namespace

std::vector<std::uint32_t> colour_edges(std::span<const Connection> connections, std::uint32_t ports) {
  std::vector<Edge> edges(connections.size());
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    edges[i] = {connections[i].source, connections[i].destination + ports, 0, i};
  // By input: neighbours in the graph are then neighbours in memory.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.input != b.input ? a.input < b.input : a.connection < b.connection;
  });
  if (!edges.empty()) Colouring(ports).colour_exactly(edges, maximum_degree(connections, ports), 0);
  std::vector<std::uint32_t> colours(connections.size());
  for (const Edge& e : edges) colours[e.connection] = e.colour;
  return colours;
}

}  // namespace hybrid
