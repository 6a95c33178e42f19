// Level by level as `level-wise`, but a request without a common free port has others moved for it.
//
// At one level, requests are the edges of a bipartite multigraph: from the switch they climb from to the one
// they come down to; the port is the edge's colour, and no switch may see a colour twice. Where port a is
// free at the one end and b at the other, the chain of connections that use a, b, a, b, ... from an end can
// swap the two, and a (or b) becomes free at both (Konig). So, while a switch has no more than w connections
// at a level, every request can be granted, and with m <= w a set in which every node sends and receives once
// (a permutation) is granted whole: each port of level 0 leads to a tree of one level less with its share.
// Connections above a level have not chosen yet when the level is coloured: a move costs them nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "emulator/scheduler/tree_links.h"

namespace hybrid {

inline constexpr std::uint32_t kAnyMoves = std::numeric_limits<std::uint32_t>::max();

template <std::size_t kWords>
class TreeColouring {
 public:
  /// For one request at one level at most `most_moves` others are moved.
  TreeColouring(const FatTree& tree, std::uint32_t most_moves)
      : links_(tree), most_moves_(most_moves), width_(tree.shape().up), edges_(tree.nodes()) {
    std::size_t most_links = 0;
    for (std::uint32_t h = 0; h < tree.levels(); ++h)
      most_links = std::max<std::size_t>(most_links, tree.links(h));
    for (auto& way : users_) way.resize(most_links);
  }

  /// See TreeScheduler. The first of the requests that share a node is looked at, the others are refused.
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) {
    links_.reset();
    moved_ = 0;
    std::size_t granted = 0, left = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      links_.take_nodes(requests[i]);
      const TreeClimb climb = links_.start(requests[i]);
      paths[i].granted = climb.turns();
      granted += climb.turns();
      edges_[left] = {climb, static_cast<std::uint32_t>(i), {}, 0};
      left += !climb.turns();
    }
    for (std::uint32_t level = 0; left != 0; ++level) {
      const std::span<Edge> edges(edges_.data(), left);
      colour(level, edges);
      left = 0;
      for (const Edge& e : edges) {
        if (e.port == links_.none()) continue;
        TreePath& path = paths[e.request];
        path.up[level] = static_cast<std::uint16_t>(e.port);
        path.turn = static_cast<std::uint8_t>(level + 1);
        const TreeClimb above = links_.above(e.climb, e.port);
        path.granted = above.turns();
        granted += above.turns();
        edges_[left] = {above, e.request, {}, 0};
        left += !above.turns();
      }
    }
    return granted;
  }

  /// Connections moved in the last schedule.
  std::size_t moved() const { return moved_; }

 private:
  using Links = TreeLinks<kWords>;
  using Way = typename Links::Way;

  struct Edge {
    TreeClimb climb;
    std::uint32_t request = 0;
    std::array<std::uint32_t, 2> end{};  // by way: the switch it climbs from, the one it comes down to
    std::uint32_t port = 0;
  };

  static Way other(Way way) { return way == Links::kUp ? Links::kDown : Links::kUp; }
  std::uint32_t& user(Way way, std::uint32_t at, std::uint32_t port) {
    return users_[way][std::size_t{at - level_first_} * width_ + port];
  }

  void colour(std::uint32_t level, std::span<Edge> edges) {
    level_first_ = static_cast<std::uint32_t>(links_.source(level, {}));
    edges_now_ = edges.data();
    for (std::uint32_t k = 0; k < edges.size(); ++k) {
      Edge& e = edges[k];
      e.end = {static_cast<std::uint32_t>(links_.source(level, e.climb)),
               static_cast<std::uint32_t>(links_.destination(level, e.climb))};
      std::uint32_t port = links_.first_common(e.end[0], e.end[1]);
      if (port == links_.none()) port = make_room(e);
      e.port = port;
      if (port == links_.none()) continue;
      links_.take(e.end[0], e.end[1], port);
      user(Links::kUp, e.end[0], port) = user(Links::kDown, e.end[1], port) = k;
    }
  }

  /// Moves others so that a port is free at both ends of e: the first chain short enough.
  std::uint32_t make_room(const Edge& e) {
    const std::uint32_t none = links_.none(), source = e.end[0], destination = e.end[1];
    for (std::uint32_t a = links_.next_free(Links::kUp, source, 0); a != none;
         a = links_.next_free(Links::kUp, source, a + 1))
      for (std::uint32_t b = links_.next_free(Links::kDown, destination, 0); b != none;
           b = links_.next_free(Links::kDown, destination, b + 1)) {
        if (short_enough(Links::kDown, destination, a, b)) {
          swap_chain(Links::kDown, destination, a, b);
          return a;
        }
        if (short_enough(Links::kUp, source, b, a)) {
          swap_chain(Links::kUp, source, b, a);
          return b;
        }
      }
    return none;
  }

  /// Whether the chain from `at` that begins with the connection on port `from` has at most most_moves_.
  bool short_enough(Way way, std::uint32_t at, std::uint32_t from, std::uint32_t to) {
    if (most_moves_ == kAnyMoves) return true;
    for (std::uint32_t moves = 0; !links_.is_free(way, at, from); ++moves) {
      if (moves == most_moves_) return false;
      at = edges_now_[user(way, at, from)].end[other(way)];
      way = other(way);
      std::swap(from, to);
    }
    return true;
  }

  /// Swaps ports `from` and `to` along that chain; `to` is free at `at`, afterwards `from` is. It never comes
  /// to the other end of the edge it is done for, where `from` is free: it enters that side by `from` only.
  void swap_chain(Way way, std::uint32_t at, std::uint32_t from, std::uint32_t to) {
    std::uint32_t k = user(way, at, from);
    links_.give_back(way, at, from);
    links_.take(way, at, to);
    for (;;) {
      ++moved_;
      const Way far = other(way);
      const std::uint32_t end = edges_now_[k].end[far];
      const bool last = links_.is_free(far, end, to);
      const std::uint32_t next = user(far, end, to);
      edges_now_[k].port = to;
      user(way, at, to) = user(far, end, to) = k;
      if (last) {
        links_.take(far, end, to);
        links_.give_back(far, end, from);
        return;
      }
      k = next;
      at = end;
      way = far;
      std::swap(from, to);
    }
  }

  Links links_;
  std::uint32_t most_moves_;
  std::uint32_t width_;
  std::vector<Edge> edges_;
  std::array<std::vector<std::uint32_t>, 2> users_;  // by way, switch of the level, port: the edge there
  std::uint32_t level_first_ = 0;
  Edge* edges_now_ = nullptr;
  std::size_t moved_ = 0;
};

}  // namespace hybrid
