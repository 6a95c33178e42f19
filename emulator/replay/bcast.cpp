// MPI_Bcast: a binomial tree for short messages, a scatter followed by an allgather for long ones.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// The binomial tree from the root: a rank receives from the one without its lowest set bit (counted from the
/// root), then sends to those with a lower bit set, farthest first.
struct Tree {
  std::uint32_t self, size;
  std::uint32_t mask;  // own lowest bit; for the root a power of two that is not below the size

  explicit Tree(const CollectiveCall& c)
      : self(relative(c)), size(c.size), mask(self == 0 ? std::bit_ceil(c.size) : self & (~self + 1)) {}
  std::uint32_t parents() const { return self == 0 ? 0 : 1; }
  std::uint32_t children() const { return static_cast<std::uint32_t>(std::countr_zero(mask)); }
  std::uint32_t rounds() const { return parents() + children(); }
  std::uint32_t parent() const { return self - mask; }
  std::uint32_t distance(std::uint32_t child) const { return mask >> (child + 1); }
};

class Binomial final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.bytes == 0 ? 0 : Tree(c).rounds(); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Tree tree(c);
    const CeilingBlocks vector{c.bytes, 1};
    if (index < tree.parents()) {
      receive(round, add(tree.parent(), c.root, c.size), vector, 0, 1);
    } else if (const std::uint32_t child = tree.self + tree.distance(index - tree.parents());
               child < c.size) {
      send(round, add(child, c.root, c.size), vector, 0, 1);
    }
  }
};

/// The scatter's rounds, blocks numbered from the root; empty parts of the vector are not sent.
void scatter_round(const CollectiveCall& c, std::uint32_t index, Round& round) {
  const Tree tree(c);
  const CeilingBlocks blocks{c.bytes, c.size};
  if (index < tree.parents()) {
    const std::uint32_t count = std::min(tree.mask, c.size - tree.self);
    if (blocks.sum(tree.self, count) != 0)
      receive(round, add(tree.parent(), c.root, c.size), blocks, tree.self, count);
    return;
  }
  const std::uint32_t distance = tree.distance(index - tree.parents());
  const std::uint32_t child = tree.self + distance;
  if (child >= c.size) return;
  const std::uint32_t count = std::min(distance, c.size - child);
  if (blocks.sum(child, count) != 0) send(round, add(child, c.root, c.size), blocks, child, count);
}

class ScatterRecursiveDoublingAllgather final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : Tree(c).rounds() + log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t scatter = Tree(c).rounds();
    if (index < scatter) return scatter_round(c, index, round);
    const std::uint32_t distance = 1u << (index - scatter);
    const std::uint32_t self = relative(c), other = self ^ distance;
    const CeilingBlocks blocks{c.bytes, c.size};
    const std::uint32_t peer = add(other, c.root, c.size);
    send(round, peer, blocks, self & ~(distance - 1), distance);
    receive(round, peer, blocks, other & ~(distance - 1), distance);
  }
};

class ScatterRingAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : Tree(c).rounds() + c.size - 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t scatter = Tree(c).rounds();
    if (index < scatter) return scatter_round(c, index, round);
    const std::uint32_t step = index - scatter, self = relative(c);
    const CeilingBlocks blocks{c.bytes, c.size};
    send(round, add(c.rank, 1, c.size), blocks, subtract(self, step, c.size), 1);
    receive(round, subtract(c.rank, 1, c.size), blocks, subtract(self, step + 1, c.size), 1);
  }
};

const CollectiveRegistration kBinomial{"bcast/binomial", "a binomial tree from the root", make<Binomial>};
const CollectiveRegistration kDoubling{"bcast/scatter-recursive-doubling-allgather",
                                       "binomial scatter, then recursive doubling (a power of two of ranks)",
                                       make<ScatterRecursiveDoublingAllgather>};
const CollectiveRegistration kRing{"bcast/scatter-ring-allgather", "binomial scatter, then a ring",
                                   make<ScatterRingAllgather>};

}  // namespace
}  // namespace hybrid::collective
