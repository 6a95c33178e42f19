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
#include <bit>
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
      : links_(tree),
        most_moves_(most_moves),
        stride_(static_cast<std::uint32_t>(std::bit_width(tree.shape().up - 1))),
        edges_(tree.nodes() + 1),
        ports_(tree.nodes() + 1) {
    std::size_t most = 0;
    for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) most = std::max(most, entries(h));
    for (auto& way : far_) way.resize(most);
    who_.resize(most);
  }

  /// See TreeScheduler. Of requests that share a node the first is looked at, the others are refused. `only`:
  /// by request, whether to look at it; empty: all.
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths,
                       std::span<const std::uint8_t> only = {}) {
    links_.reset();
    moved_ = 0;
    nodes_were_shared_ = false;
    std::size_t granted = 0;
    std::uint32_t left = 0;
    if (links_.tree().levels() > 1) begin_level(0);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (!only.empty() && only[i] == 0) continue;
      if (!links_.nodes_free(requests[i])) {
        nodes_were_shared_ = true;
        continue;
      }
      links_.take_nodes(requests[i]);
      const TreeClimb climb = links_.start(requests[i]);
      if (climb.turns()) {
        paths[i].granted = true;
        ++granted;
      } else {
        edges_[left] = {static_cast<std::uint32_t>(i), climb};
        left += place(left);
      }
    }
    for (std::uint32_t level = 1; left != 0; ++level) {
      const TreeRow<kWords> below = row_;
      if (level + 1 < links_.tree().levels()) begin_level(level);
      const std::uint32_t count = std::exchange(left, 0);
      for (std::uint32_t k = 0; k < count; ++k) {
        const Edge e{edges_[k].request, below.above(edges_[k].climb, ports_[k])};
        TreePath& path = paths[e.request];
        path.up[level - 1] = static_cast<std::uint16_t>(ports_[k]);
        if (e.climb.turns()) {
          path.turn = static_cast<std::uint8_t>(level);
          path.granted = true;
          ++granted;
        } else {
          edges_[left] = e;  // left <= k: that one has been read
          left += place(left);
        }
      }
    }
    return granted;
  }

  /// Connections moved in the last schedule.
  std::size_t moved() const { return moved_; }
  /// Whether in the last schedule some request was refused for its nodes.
  bool nodes_were_shared() const { return nodes_were_shared_; }

 private:
  using Links = TreeLinks<kWords>;
  using Way = typename Links::Way;
  static constexpr Way kUp = Links::kUp, kDown = Links::kDown;
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  struct Edge {
    std::uint32_t request = 0;
    TreeClimb climb;
  };
  enum class Chain : std::uint8_t { none, from_source, from_destination };

  static Way other(Way way) { return way == kUp ? kDown : kUp; }
  std::size_t entries(std::uint32_t level) const {
    return std::size_t{links_.tree().switches(level)} << stride_;
  }
  std::size_t entry(std::uint32_t at, std::uint32_t port) const {
    return (std::size_t{at} << stride_) + port;
  }

  void begin_level(std::uint32_t level) {
    row_ = links_.row(level);
    for (auto& way : far_) std::fill_n(way.begin(), entries(level), kFree);
    // Where nobody is, swap_chain writes the port of an edge that there is not.
    std::fill_n(who_.begin(), entries(level), static_cast<std::uint32_t>(edges_.size() - 1));
  }

  /// Gives edge k, the last one, a port. False: there is none.
  bool place(std::uint32_t k) {
    const std::uint32_t source = row_.source(edges_[k].climb),
                        destination = row_.destination(edges_[k].climb);
    std::uint32_t port = row_.take_first_common(source, destination);
    if (port == row_.none()) {
      port = make_room(source, destination);
      if (port == row_.none()) return false;
      row_.take(kUp, source, port);
      row_.take(kDown, destination, port);
    }
    ports_[k] = port;
    far_[kUp][entry(source, port)] = destination;
    far_[kDown][entry(destination, port)] = source;
    who_[entry(source, port)] = k;
    return true;
  }

  /// Moves others so that a port is free at both ends: by the first chain that is short enough. Not inlined:
  /// it is rare, and would take the registers of the loop around it.
  [[gnu::noinline]] std::uint32_t make_room(std::uint32_t source, std::uint32_t destination) {
    const std::uint32_t none = row_.none();
    for (std::uint32_t a = row_.next_free(kUp, source, 0); a != none; a = row_.next_free(kUp, source, a + 1))
      for (std::uint32_t b = row_.next_free(kDown, destination, 0); b != none;
           b = row_.next_free(kDown, destination, b + 1)) {
        switch (shorter_chain(source, destination, a, b)) {
          case Chain::from_destination:
            swap_chain(kDown, destination, a, b);
            return a;
          case Chain::from_source:
            swap_chain(kUp, source, b, a);
            return b;
          case Chain::none:
            break;
        }
      }
    return none;
  }

  /// The shorter of two chains, if it has at most most_moves_ connections: from the destination by ports a,
  /// b, a, ..., or from the source by b, a, b, .... Both are followed at once: the loads of one hide the
  /// other's.
  Chain shorter_chain(std::uint32_t source, std::uint32_t destination, std::uint32_t a,
                      std::uint32_t b) const {
    const std::uint32_t *up = far_[kUp].data(), *down = far_[kDown].data();
    std::uint32_t x = destination, y = source;
    for (std::uint32_t moves = 0;; moves += 2) {
      x = down[entry(x, a)];
      y = up[entry(y, b)];
      if (x == kFree) return Chain::from_destination;
      if (y == kFree) return Chain::from_source;
      if (moves >= most_moves_) return Chain::none;
      x = up[entry(x, b)];
      y = down[entry(y, a)];
      if (x == kFree) return Chain::from_destination;
      if (y == kFree) return Chain::from_source;
      if (moves + 1 >= most_moves_) return Chain::none;
    }
  }

  /// Every switch on the chain from `at` by ports p, q, p, ... exchanges the two; q is free at `at`,
  /// afterwards p is. The chain never comes to the other end of the edge that it makes room for: there p is
  /// free, and it enters that side by p only.
  void swap_chain(Way way, std::uint32_t at, std::uint32_t p, std::uint32_t q) {
    row_.give_back(way, at, p);
    row_.take(way, at, q);
    for (std::uint32_t by = p;; ++moved_, by = by == p ? q : p, way = other(way)) {
      const std::size_t i = entry(at, p), j = entry(at, q);
      const std::uint32_t next = far_[way][entry(at, by)];
      std::swap(far_[way][i], far_[way][j]);
      if (way == kUp) {
        std::swap(who_[i], who_[j]);
        ports_[who_[i]] = p;
        ports_[who_[j]] = q;
      }
      if (next == kFree) {
        // It came by the one port and goes by none: now it is the other way round.
        row_.take(way, at, by);
        row_.give_back(way, at, by == p ? q : p);
        return;
      }
      at = next;
    }
  }

  Links links_;
  std::uint32_t most_moves_;
  std::uint32_t stride_;  // a switch's entries, as a power of two
  TreeRow<kWords> row_;
  std::vector<Edge> edges_;           // of this level, and behind them those of the level below
  std::vector<std::uint32_t> ports_;  // of each edge
  // By way, and switch and port of this level: the switch at the other end, and (upward) the edge.
  std::array<std::vector<std::uint32_t>, 2> far_;
  std::vector<std::uint32_t> who_;
  std::size_t moved_ = 0;
  bool nodes_were_shared_ = false;
};

}  // namespace hybrid
