// Free links of a fat tree: the papers' Ulink and Dlink (L 3), one machine word (or several) per switch, and
// the links of the nodes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// State of a connection on its path up: the subtrees of this height that contain its source and its
/// destination, and the ports taken so far, which both ends share (Theorem 2): sigma_h = source w^h + ports,
/// delta_h likewise.
struct TreeClimb {
  std::uint32_t source = 0, destination = 0, ports = 0;
};

/// Direction of a link; a circuit goes up from its source, then down to its destination.
enum LinkDirection : std::uint8_t { kTreeUp, kTreeDown };

/// Returns the lowest port at or above `from` that is set in the `words` words of `free`, or words *
/// kWordBits.
[[gnu::always_inline]] inline std::uint32_t next_free_port(const Word* free, std::size_t words,
                                                           std::uint32_t from) {
  Word mask = ~Word{0} << (from % kWordBits);
  for (std::size_t w = from / kWordBits; w < words; ++w, mask = ~Word{0})
    if ((free[w] & mask) != 0)
      return static_cast<std::uint32_t>(w * kWordBits +
                                        static_cast<std::size_t>(std::countr_zero(free[w] & mask)));
  return static_cast<std::uint32_t>(words * kWordBits);
}

/// The links of one level and the data to climb from it, as values: an inner loop keeps them in registers.
template <std::size_t kWords>
struct TreeRow {
  Word* up = nullptr;    // Ulink(h, tau), words() per switch
  Word* down = nullptr;  // Dlink(h, tau)
  std::size_t some_words = 1;
  std::uint32_t up_power = 1, width = 1;  // w^h, w
  TreeDivider by_down;

  std::size_t words() const { return kWords != 0 ? kWords : some_words; }
  std::uint32_t none() const { return static_cast<std::uint32_t>(words() * kWordBits); }
  std::uint32_t source(const TreeClimb& c) const { return c.source * up_power + c.ports; }
  std::uint32_t destination(const TreeClimb& c) const { return c.destination * up_power + c.ports; }
  TreeClimb above(const TreeClimb& c, std::uint32_t port) const {
    return {by_down(c.source), by_down(c.destination), c.ports * width + port};
  }

  /// Takes the lowest port that is free in both (L figure 7, lines 3 to 8); none() if there is none.
  std::uint32_t take_first_common(std::uint32_t source, std::uint32_t destination) const {
    Word* const free_up = up + source * words();
    Word* const free_down = down + destination * words();
    for (std::size_t w = 0; w < words(); ++w) {
      const Word both = free_up[w] & free_down[w];
      if (both == 0) continue;
      // The next request of this switch depends on these two stores only, not on the port's number.
      const Word lowest = both & (Word{0} - both);
      free_up[w] ^= lowest;
      free_down[w] ^= lowest;
      return static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(both)));
    }
    return none();
  }

  /// The lowest free port at or above `from`, or none().
  std::uint32_t next_free(LinkDirection direction, std::uint32_t at, std::uint32_t from) const {
    return next_free_port(of(direction, at), words(), from);
  }
  void take(LinkDirection direction, std::uint32_t at, std::uint32_t port) const {
    of(direction, at)[port / kWordBits] &= ~bit_of(port);
  }
  void give_back(LinkDirection direction, std::uint32_t at, std::uint32_t port) const {
    of(direction, at)[port / kWordBits] |= bit_of(port);
  }
  Word* of(LinkDirection direction, std::uint32_t at) const {
    return (direction == kTreeUp ? up : down) + at * words();
  }
};

/// `kWords` words per switch; 0: as many as the tree's w needs.
template <std::size_t kWords>
class TreeLinks {
 public:
  using Direction = LinkDirection;
  static constexpr Direction kUp = kTreeUp, kDown = kTreeDown;

  explicit TreeLinks(const FatTree& tree)
      : tree_(tree),
        words_(kWords != 0 ? kWords : words_for(tree.shape().up)),
        width_(tree.shape().up),
        lowest_turn_(tree.lowest_turn()) {
    std::uint32_t rows = 0;
    for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) {
      first_[h] = rows;
      rows += tree.switches(h);
    }
    for (auto& side : free_) side.resize(rows * words_);
    for (auto& side : busy_nodes_) side.resize(tree.nodes());
    reset();
  }

  const FatTree& tree() const { return tree_; }
  TreeRow<kWords> row(std::uint32_t level) {
    return {free_[kUp].data() + first_[level] * words(),
            free_[kDown].data() + first_[level] * words(),
            words(),
            tree_.up_power(level),
            width_,
            tree_.by_down()};
  }

  void reset() {
    for (auto& side : free_) {
      if (words_ == 1) {
        std::fill(side.begin(), side.end(), all(0));
      } else {
        for (std::size_t i = 0; i < side.size(); ++i) side[i] = all(i % words_);
      }
    }
    for (auto& side : busy_nodes_) std::fill(side.begin(), side.end(), std::uint16_t{0});
  }

  // The links of the nodes.
  bool nodes_free(Connection c) const {
    return (busy_nodes_[kUp][c.source] | busy_nodes_[kDown][c.destination]) == 0;
  }
  void take_nodes(Connection c) { busy_nodes_[kUp][c.source] = busy_nodes_[kDown][c.destination] = 1; }
  void free_nodes(Connection c) { busy_nodes_[kUp][c.source] = busy_nodes_[kDown][c.destination] = 0; }

  /// Whether a climb that has reached `level` turns there.
  bool turns(std::uint32_t level, const TreeClimb& c) const {
    return level >= lowest_turn_ && c.source == c.destination;
  }
  TreeClimb start(Connection c) const { return {tree_.leaf(c.source), tree_.leaf(c.destination), 0}; }
  /// The climb one level up through `port`.
  TreeClimb above(const TreeClimb& c, std::uint32_t port) const {
    return {tree_.by_down()(c.source), tree_.by_down()(c.destination), c.ports * width_ + port};
  }

  /// The index of a switch among all: of its source side (Ulink) and of its destination side (Dlink).
  std::size_t source(std::uint32_t level, const TreeClimb& c) const {
    return first_[level] + std::size_t{c.source} * tree_.up_power(level) + c.ports;
  }
  std::size_t destination(std::uint32_t level, const TreeClimb& c) const {
    return first_[level] + std::size_t{c.destination} * tree_.up_power(level) + c.ports;
  }

  /// Beyond every port: the result if there is no port.
  std::uint32_t none() const { return static_cast<std::uint32_t>(words() * kWordBits); }
  /// Returns the lowest port that is free in both (L figure 7, lines 3 to 5), or none().
  std::uint32_t first_common(std::size_t source, std::size_t destination) const {
    const Word* up = row(kUp, source);
    const Word* down = row(kDown, destination);
    if constexpr (kWords == 1) {
      return static_cast<std::uint32_t>(std::countr_zero(*up & *down));
    } else {
      for (std::size_t w = 0; w < words(); ++w)
        if (const Word both = up[w] & down[w]; both != 0)
          return static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(both)));
      return none();
    }
  }
  /// Calls `visit(port)` for every port that is free in both, ascending, while it returns true.
  template <class Visit>
  void for_each_common(std::size_t source, std::size_t destination, Visit&& visit) const {
    const Word* up = row(kUp, source);
    const Word* down = row(kDown, destination);
    for (std::size_t w = 0; w < words(); ++w)
      for (Word both = up[w] & down[w]; both != 0; both &= both - 1)
        if (!visit(
                static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(both)))))
          return;
  }
  /// The lowest free port at or above `from`, or none().
  std::uint32_t next_free(Direction direction, std::size_t at, std::uint32_t from) const {
    return next_free_port(row(direction, at), words(), from);
  }
  std::uint32_t count(Direction direction, std::size_t at) const {
    std::uint32_t n = 0;
    for (std::size_t w = 0; w < words(); ++w)
      n += static_cast<std::uint32_t>(std::popcount(row(direction, at)[w]));
    return n;
  }

  bool is_free(Direction direction, std::size_t at, std::uint32_t port) const {
    return (row(direction, at)[word_of(port)] & bit_of(port)) != 0;
  }
  void take(Direction direction, std::size_t at, std::uint32_t port) {
    row(direction, at)[word_of(port)] &= ~bit_of(port);
  }
  void give_back(Direction direction, std::size_t at, std::uint32_t port) {
    row(direction, at)[word_of(port)] |= bit_of(port);
  }
  void take(std::size_t source, std::size_t destination, std::uint32_t port) {
    take(kUp, source, port);
    take(kDown, destination, port);
  }
  void give_back(std::size_t source, std::size_t destination, std::uint32_t port) {
    give_back(kUp, source, port);
    give_back(kDown, destination, port);
  }

  const Word* row(Direction direction, std::size_t at) const {
    return free_[direction].data() + at * words();
  }

 private:
  Word* row(Direction direction, std::size_t at) { return free_[direction].data() + at * words(); }
  std::size_t words() const { return kWords != 0 ? kWords : words_; }
  std::size_t word_of(std::uint32_t port) const { return kWords == 1 ? 0 : port / kWordBits; }
  /// The bits of word w that are ports.
  Word all(std::size_t w) const {
    const std::size_t ports = width_ - w * kWordBits;
    return ports >= kWordBits ? ~Word{0} : (Word{1} << ports) - 1;
  }

  FatTree tree_;
  std::size_t words_;
  std::uint32_t width_, lowest_turn_;
  std::array<std::size_t, kMostTreeLevels> first_{};
  std::array<std::vector<Word>, 2> free_;
  std::array<std::vector<std::uint16_t>, 2> busy_nodes_;  // not bytes, which could alias anything
};

}  // namespace hybrid
