// MPI_Bcast: a binomial tree for short messages, a scatter followed by an allgather for long ones.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class Binomial final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds();
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const CeilingBlocks vector{c.bytes, 1};
    const auto edge = BinomialTree(c).edge_from_root(index);
    if (!edge) return;
    if (edge->to_parent)
      receive(round, edge->peer, vector, 0, 1);
    else
      send(round, edge->peer, vector, 0, 1);
  }
};

/// Rounds of the scatter. Blocks are counted from the root; empty parts of the vector are not sent.
void scatter_round(const CollectiveCall& c, std::uint32_t index, Round& round) {
  const CeilingBlocks blocks{c.bytes, c.size};
  const auto edge = BinomialTree(c).edge_from_root(index);
  if (!edge || blocks.sum(edge->first, edge->count) == 0) return;
  if (edge->to_parent)
    receive(round, edge->peer, blocks, edge->first, edge->count);
  else
    send(round, edge->peer, blocks, edge->first, edge->count);
}

class ScatterRecursiveDoublingAllgather final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds() + log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t scatter = BinomialTree(c).rounds();
    if (index < scatter) return scatter_round(c, index, round);
    doubling_round(c, c.root, CeilingBlocks{c.bytes, c.size}, index - scatter, round);
  }
};

class ScatterRingAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds() + c.size - 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t scatter = BinomialTree(c).rounds();
    if (index < scatter) return scatter_round(c, index, round);
    ring_round(c, relative(c), CeilingBlocks{c.bytes, c.size}, index - scatter, round);
  }
};

const CollectiveRegistration kBinomial{"bcast/binomial", "a binomial tree from the root", make<Binomial>};
const CollectiveRegistration kBcastDoubling{
    "bcast/scatter-recursive-doubling-allgather",
    "binomial scatter, then recursive doubling (a power of two of ranks)",
    make<ScatterRecursiveDoublingAllgather>};
const CollectiveRegistration kBcastRing{"bcast/scatter-ring-allgather", "binomial scatter, then a ring",
                                        make<ScatterRingAllgather>};

}  // namespace
}  // namespace hybrid::collective
