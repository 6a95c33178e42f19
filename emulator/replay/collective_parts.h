// Parts of the collective algorithms: arithmetic on ranks, division of a vector into blocks, and the
// exchanges that several algorithms consist of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/replay/collective.h"

namespace hybrid::collective {

constexpr bool is_power_of_two(std::uint32_t n) { return std::has_single_bit(n); }
/// Rounds of a doubling from 1 to `n`.
constexpr std::uint32_t log2_up(std::uint32_t n) {
  return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}
constexpr std::uint32_t add(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
  return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % size);
}
constexpr std::uint32_t subtract(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
  return static_cast<std::uint32_t>((std::uint64_t{rank} + size - distance % size) % size);
}
/// The rank counted from the root, as it is numbered in trees.
constexpr std::uint32_t relative(const CollectiveCall& c) { return subtract(c.rank, c.root, c.size); }

/// Blocks of equal size.
struct EqualBlocks {
  Bytes block;
  Bytes sum(std::uint32_t /*first*/, std::uint32_t count) const { return block * count; }
};

/// A vector divided into `blocks` parts of ceil(total / blocks), the last ones shorter or empty (MPICH's
/// scatter for a broadcast).
struct CeilingBlocks {
  Bytes total;
  std::uint32_t blocks;
  Bytes end(std::uint32_t block) const { return std::min(total, (total + blocks - 1) / blocks * block); }
  /// first + count <= blocks
  Bytes sum(std::uint32_t first, std::uint32_t count) const { return end(first + count) - end(first); }
};

/// A vector of 8-byte elements divided into `blocks` parts, the first ones larger by one element if it does
/// not divide evenly (MPICH's reductions). A vector with another size is divided by bytes.
struct BalancedBlocks {
  Bytes total;
  std::uint32_t blocks;
  Bytes end(std::uint32_t block) const {
    const Bytes element = total % 8 == 0 ? 8 : 1;
    const Bytes elements = total / element;
    return (elements / blocks * block + std::min<Bytes>(elements % blocks, block)) * element;
  }
  /// Cyclic: first + count may exceed `blocks`.
  Bytes sum(std::uint32_t first, std::uint32_t count) const {
    first %= blocks;
    if (first + count <= blocks) return end(first + count) - end(first);
    return total - end(first) + end(first + count - blocks);
  }
};

/// Blocks of given sizes, or of size `otherwise` if `sizes` is empty. Cyclic.
struct GivenBlocks {
  std::span<const Bytes> sizes;
  Bytes otherwise;
  std::uint32_t blocks;
  Bytes sum(std::uint32_t first, std::uint32_t count) const {
    if (sizes.empty()) return otherwise * count;
    Bytes bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) bytes += sizes[(first + i) % blocks];
    return bytes;
  }
};

template <class Blocks>
void send(Round& round, std::uint32_t to, const Blocks& blocks, std::uint32_t first, std::uint32_t count) {
  round.sends.push_back({to, blocks.sum(first, count), first, count});
}
template <class Blocks>
void receive(Round& round, std::uint32_t from, const Blocks& blocks, std::uint32_t first,
             std::uint32_t count) {
  round.receives.push_back({from, blocks.sum(first, count), first, count});
}

/// The blocks of an allgather or reduce-scatter, one for each member. An allgatherv without sizes has those
/// of this rank for all.
inline GivenBlocks member_blocks(const CollectiveCall& c) {
  const bool given = c.op == CollectiveOp::allgatherv || c.op == CollectiveOp::reduce_scatter;
  return {given ? c.counts_received : std::span<const Bytes>{}, c.bytes, c.size};
}
inline bool all_blocks_empty(const CollectiveCall& c) { return member_blocks(c).sum(0, c.size) == 0; }

/// Round `index` of an allgather by recursive doubling, for a power of two of ranks: exchanges all blocks so
/// far with the rank 2^index away. Ranks and blocks are counted from `root`.
template <class Blocks>
void doubling_round(const CollectiveCall& c, std::uint32_t root, const Blocks& blocks, std::uint32_t index,
                    Round& round) {
  const std::uint32_t distance = 1u << index, self = subtract(c.rank, root, c.size), other = self ^ distance;
  const std::uint32_t peer = add(other, root, c.size);
  send(round, peer, blocks, self & ~(distance - 1), distance);
  receive(round, peer, blocks, other & ~(distance - 1), distance);
}

/// Round `index` of a ring: sends the block before the one that the last round sent, `first` in round 0, to
/// the next rank; receives the block before that from the previous rank.
template <class Blocks>
void ring_round(const CollectiveCall& c, std::uint32_t first, const Blocks& blocks, std::uint32_t index,
                Round& round) {
  send(round, add(c.rank, 1, c.size), blocks, subtract(first, index, c.size), 1);
  receive(round, subtract(c.rank, 1, c.size), blocks, subtract(first, index + 1, c.size), 1);
}

/// A rank's edges in the binomial tree over the ranks counted from the root. A rank's parent is the one
/// without its lowest set bit; its children are those with one lower bit set.
class BinomialTree {
 public:
  struct Edge {
    bool to_parent;              // else to a child
    std::uint32_t peer;          // rank
    std::uint32_t first, count;  // ranks of the subtree below the edge, counted from the root
  };

  explicit BinomialTree(const CollectiveCall& c)
      : root_(c.root),
        size_(c.size),
        self_(relative(c)),
        width_(self_ == 0 ? std::bit_ceil(c.size) : self_ & (~self_ + 1)) {}

  std::uint32_t rounds() const { return parents() + static_cast<std::uint32_t>(std::countr_zero(width_)); }
  /// The edge that the rank uses in round `index` when data travel from the root: that of its parent, then
  /// those of its children, the farthest first. None if that child does not exist.
  std::optional<Edge> edge_from_root(std::uint32_t index) const {
    if (index < parents()) return edge(true, self_ - width_, self_, width_);
    const std::uint32_t distance = width_ >> (index - parents() + 1), child = self_ + distance;
    if (child >= size_) return std::nullopt;
    return edge(false, child, child, distance);
  }
  /// The same when data travel to the root: the reverse order.
  std::optional<Edge> edge_to_root(std::uint32_t index) const { return edge_from_root(rounds() - 1 - index); }

 private:
  std::uint32_t parents() const { return self_ == 0 ? 0 : 1; }
  Edge edge(bool to_parent, std::uint32_t peer, std::uint32_t first, std::uint32_t count) const {
    return {to_parent, add(peer, root_, size_), first, std::min(count, size_ - first)};
  }

  std::uint32_t root_, size_, self_;
  std::uint32_t width_;  // of the subtree: lowest set bit; of the root: the next power of two
};

/// Reduction to a power of two of ranks (MPICH): with `rest` ranks beyond it, the first 2 * rest ranks form
/// pairs. In each pair one rank acts for both and the other one is idle. `odd_acts`: which one.
struct Folding {
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};
  std::uint32_t power, rest;
  bool odd_acts;

  Folding(std::uint32_t size, bool odd) : power(std::bit_floor(size)), rest(size - power), odd_acts(odd) {}
  bool paired(std::uint32_t rank) const { return rank < 2 * rest; }
  /// Number of the rank among the acting ones, or kIdle.
  std::uint32_t acting(std::uint32_t rank) const {
    if (!paired(rank)) return rank - rest;
    return (rank % 2 != 0) == odd_acts ? rank / 2 : kIdle;
  }
  std::uint32_t real(std::uint32_t acting) const {
    return acting < rest ? 2 * acting + (odd_acts ? 1 : 0) : acting + rest;
  }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(std::countr_zero(power)); }

  /// Round before the algorithm on the acting ranks: the idle rank of each pair sends blocks to the other
  /// one. `unfold`: round after it, in the other direction.
  template <class Blocks>
  void fold_round(const CollectiveCall& c, const Blocks& blocks, std::uint32_t first, std::uint32_t count,
                  bool unfold, Round& round) const {
    if (!paired(c.rank)) return;
    const bool idle = acting(c.rank) == kIdle;
    if (idle != unfold)
      send(round, c.rank ^ 1, blocks, first, count);
    else
      receive(round, c.rank ^ 1, blocks, first, count);
  }
};

/// Recursive halving by distances 1, 2, 4, ... on the acting ranks: after step k a rank has `count(k + 1)` of
/// `power` parts, from `first(rank, k + 1)` on. Doubling in the reverse order gathers the parts again.
struct Halving {
  std::uint32_t power;
  std::uint32_t count(std::uint32_t step) const { return power >> step; }
  std::uint32_t first(std::uint32_t rank, std::uint32_t step) const {
    std::uint32_t part = 0;
    for (std::uint32_t k = 0; k < step; ++k)
      if ((rank >> k & 1) != 0) part += power >> (k + 1);
    return part;
  }
  /// The exchange of a step of acting rank `self`. `doubling`: that of the reverse order.
  template <class Blocks>
  void exchange(const Folding& folding, std::uint32_t self, const Blocks& blocks, std::uint32_t step,
                bool doubling, Round& round) const {
    const std::uint32_t other = self ^ 1u << step, peer = folding.real(other);
    const std::uint32_t mine = first(self, step + 1), theirs = first(other, step + 1);
    send(round, peer, blocks, doubling ? mine : theirs, count(step + 1));
    receive(round, peer, blocks, doubling ? theirs : mine, count(step + 1));
  }
};

/// Factory for CollectiveRegistration.
template <class Algorithm>
std::unique_ptr<CollectiveAlgorithm> make() {
  return std::make_unique<Algorithm>();
}

}  // namespace hybrid::collective
