// Where the time goes: the tables of who uses which port are looked up at random. So they hold no more than a
// chain needs, in 16 bits an entry where the tree is small enough for that, a switch's ports side by side.
#include "emulator/scheduler/tree_colouring.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emulator/scheduler/tree_links.h"

namespace hybrid {
namespace {

/// The most links up from one level.
std::uint32_t most_links(const FatTree& tree) {
  std::uint32_t most = 0;
  for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) most = std::max(most, tree.links(h));
  return most;
}

/// `Number`: of a link or an edge.
template <std::size_t kWords, class Number>
class Colouring final : public TreeColouring {
 public:
  Colouring(const FatTree& tree, std::uint32_t most_moves)
      : links_(tree),
        most_moves_(most_moves),
        by_width_(tree.shape().up),
        edges_(tree.nodes()),
        ports_(tree.nodes()),
        up_(most_links(tree)),
        down_(up_.size()) {
    std::uint32_t most = 0;
    for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) most = std::max(most, tree.switches(h));
    // A chain comes to a switch at most once on either side, and then to none.
    for (auto& chain : chain_) chain.resize(std::size_t{2} * most + 2);
  }

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths,
                       std::span<const std::uint8_t> only) override {
    links_.reset();
    moved_ = 0;
    nodes_were_shared_ = false;
    std::size_t granted = 0;
    Level level{};
    if (links_.tree().levels() > 1) level = begin_level(0);
    std::uint32_t left = 0;
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
        left += place(level, left, static_cast<std::uint32_t>(i), climb);
      }
    }
    for (std::uint32_t height = 1; left != 0; ++height) {
      const TreeRow<kWords> below = level.row;
      if (height + 1 < links_.tree().levels()) level = begin_level(height);
      const std::uint32_t count = std::exchange(left, 0);
      for (std::uint32_t k = 0; k < count; ++k) {
        const Edge e = level.edges[k];
        const std::uint16_t port = level.ports[k];
        const TreeClimb climb = below.above({e.source, e.destination, e.ports}, port);
        TreePath& path = paths[e.request];
        path.up[height - 1] = port;
        if (climb.turns()) {
          path.turn = static_cast<std::uint8_t>(height);
          path.granted = true;
          ++granted;
        } else {
          left += place(level, left, e.request, climb);  // left <= k: that edge has been read
        }
      }
    }
    return granted;
  }

 private:
  using Links = TreeLinks<kWords>;
  using Way = typename Links::Way;
  static constexpr Way kUp = Links::kUp, kDown = Links::kDown;
  static constexpr Number kFree = std::numeric_limits<Number>::max();

  /// A request that is on its way: a TreeClimb.
  struct Edge {
    std::uint32_t request = 0;
    Number source = 0, destination = 0, ports = 0;
  };
  /// What uses a switch's link up.
  struct User {
    Number far = kFree;  // the first link of the switch at the other end
    Number edge = 0;
  };

  /// What the loop over requests touches, as values that it keeps in registers.
  struct Level {
    TreeRow<kWords> row;
    Edge* edges = nullptr;
    std::uint16_t* ports = nullptr;
    User* up = nullptr;
    Number* down = nullptr;
  };

  Level begin_level(std::uint32_t level) {
    row_ = links_.row(level);
    std::fill_n(up_.begin(), links_.tree().links(level), User{});
    std::fill_n(down_.begin(), links_.tree().links(level), kFree);
    return {row_, edges_.data(), ports_.data(), up_.data(), down_.data()};
  }

  /// Gives the request, as edge k, the last one, a port. False: there is none.
  [[gnu::always_inline]] bool place(const Level& level, std::uint32_t k, std::uint32_t request,
                                    const TreeClimb& climb) {
    const std::uint32_t source = level.row.source(climb), destination = level.row.destination(climb);
    std::uint32_t port = level.row.take_first_common(source, destination);
    if (port == level.row.none()) {
      port = make_room(source, destination);
      if (port == level.row.none()) return false;
      level.row.take(kUp, source, port);
      level.row.take(kDown, destination, port);
    }
    level.edges[k] = {request, static_cast<Number>(climb.source), static_cast<Number>(climb.destination),
                      static_cast<Number>(climb.ports)};
    level.ports[k] = static_cast<std::uint16_t>(port);
    const Number from = first_link(source), to = first_link(destination);
    level.up[from + port] = {to, static_cast<Number>(k)};
    level.down[to + port] = from;
    return true;
  }

  /// Moves others so that a port is free at both ends: by the first chain that is short enough. Not inlined:
  /// it is rare, and would take the registers of the loop around it.
  [[gnu::noinline]] std::uint32_t make_room(std::uint32_t source, std::uint32_t destination) {
    const std::uint32_t none = row_.none();
    for (std::uint32_t a = row_.next_free(kUp, source, 0); a != none; a = row_.next_free(kUp, source, a + 1))
      for (std::uint32_t b = row_.next_free(kDown, destination, 0); b != none;
           b = row_.next_free(kDown, destination, b + 1)) {
        const std::size_t moves = follow_chains(source, destination, a, b);
        if (moves == 0) continue;
        moved_ += moves;
        if (chain_[kDown][moves + 1] == kFree) {
          exchange(kDown, moves, a, b);
          return a;
        }
        exchange(kUp, moves, b, a);
        return b;
      }
    return none;
  }

  /// Two chains, from the destination by ports a, b, a, ..., and from the source by b, a, b, ..., until one
  /// ends: that one has no link where the other goes on. Both at once, as the loads of one hide the other's.
  /// Returns its length; 0 if it has more than most_moves_ connections.
  std::size_t follow_chains(std::uint32_t source, std::uint32_t destination, std::uint32_t a,
                            std::uint32_t b) {
    const User* const up = up_.data();
    const Number* const down = down_.data();
    Number *x = chain_[kDown].data(), *y = chain_[kUp].data();
    *x = first_link(destination);
    *y = first_link(source);
    for (std::size_t moves = 0;; moves += 2, x += 2, y += 2) {
      x[1] = down[x[0] + a];
      y[1] = up[y[0] + b].far;
      if (x[1] == kFree || y[1] == kFree) return moves;
      if (moves >= most_moves_) return 0;
      x[2] = up[x[1] + b].far;
      y[2] = down[y[1] + a];
      if (x[2] == kFree || y[2] == kFree) return moves + 1;
      if (moves + 1 >= most_moves_) return 0;
    }
  }

  /// Every switch on the chain of `moves` connections that starts with port p exchanges p and q. The chain
  /// never comes to the other end of the edge that it makes room for: there p is free, and it enters that
  /// side by p only.
  void exchange(Way way, std::size_t moves, std::uint32_t p, std::uint32_t q) {
    const Number* const at = chain_[way].data();
    const std::size_t up = way == kUp ? 0 : 1;  // which of the chain's switches are climbed from: every other
    for (std::size_t i = 2 - up; i < moves; i += 2) {
      User &by_p = up_[at[i] + p], &by_q = up_[at[i] + q];
      std::swap(by_p, by_q);
      ports_[by_p.edge] = static_cast<std::uint16_t>(p);
      ports_[by_q.edge] = static_cast<std::uint16_t>(q);
    }
    for (std::size_t i = 1 + up; i < moves; i += 2) std::swap(down_[at[i] + p], down_[at[i] + q]);
    // At its ends one of the two is free.
    exchange_end(way, at[0], p, q);
    if (moves % 2 == 0) {
      exchange_end(way, at[moves], q, p);
    } else {
      exchange_end(other(way), at[moves], p, q);
    }
  }

  /// `used` becomes free, and what used it uses `free`.
  void exchange_end(Way way, Number at, std::uint32_t used, std::uint32_t free) {
    const std::uint32_t number = by_width_(at);
    row_.give_back(way, number, used);
    row_.take(way, number, free);
    if (way == kDown) {
      std::swap(down_[at + used], down_[at + free]);
    } else {
      std::swap(up_[at + used], up_[at + free]);
      ports_[up_[at + free].edge] = static_cast<std::uint16_t>(free);
    }
  }

  static Way other(Way way) { return way == kUp ? kDown : kUp; }
  Number first_link(std::uint32_t of) const { return static_cast<Number>(of * row_.width); }

  Links links_;
  std::uint32_t most_moves_;
  TreeDivider by_width_;
  TreeRow<kWords> row_;
  std::vector<Edge> edges_;           // of this level, and behind them those of the level below
  std::vector<std::uint16_t> ports_;  // of each edge
  // By link of this level: what uses it, and the first link of the switch that it is used from.
  std::vector<User> up_;
  std::vector<Number> down_;
  // The first links of the switches that two chains come to: from the source, and from the destination.
  std::array<std::vector<Number>, 2> chain_;
};

/// Whether 16 bits can number the nodes, and each first link with a number to spare.
bool is_small(const FatTree& tree) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  return tree.nodes() <= kMost + 1 && most_links(tree) < kMost + tree.shape().up;
}

template <std::size_t kWords>
std::unique_ptr<TreeColouring> make(const FatTree& tree, std::uint32_t most_moves) {
  if (is_small(tree)) return std::make_unique<Colouring<kWords, std::uint16_t>>(tree, most_moves);
  return std::make_unique<Colouring<kWords, std::uint32_t>>(tree, most_moves);
}

}  // namespace

std::unique_ptr<TreeColouring> make_tree_colouring(const FatTree& tree, std::uint32_t most_moves) {
  return tree.shape().up <= kWordBits ? make<1>(tree, most_moves) : make<0>(tree, most_moves);
}

}  // namespace hybrid
