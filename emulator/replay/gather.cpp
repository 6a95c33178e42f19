// MPI_Gather and MPI_Scatter: binomial trees. MPI_Gatherv and MPI_Scatterv: the root with each other rank.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// The binomial tree to the root: each rank sends the blocks of its subtree.
class Gather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds();
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const auto edge = BinomialTree(c).edge_to_root(index);
    if (!edge) return;
    const std::uint32_t first = add(edge->first, c.root, c.size);
    if (edge->to_parent)
      send(round, edge->peer, EqualBlocks{c.bytes}, first, edge->count);
    else
      receive(round, edge->peer, EqualBlocks{c.bytes}, first, edge->count);
  }
};

/// The same tree in the reverse order and direction.
class Scatter final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds();
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const auto edge = BinomialTree(c).edge_from_root(index);
    if (!edge) return;
    const std::uint32_t first = add(edge->first, c.root, c.size);
    if (edge->to_parent)
      receive(round, edge->peer, EqualBlocks{c.bytes}, first, edge->count);
    else
      send(round, edge->peer, EqualBlocks{c.bytes}, first, edge->count);
  }
};

/// Empty blocks are sent, too: only the root knows that they are empty.
class Gatherv final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.size > 1 ? 1 : 0; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    if (c.rank != c.root) return send(round, c.root, EqualBlocks{c.bytes}, c.rank, 1);
    const GivenBlocks blocks{c.counts_received, 0, c.size};
    for (std::uint32_t r = 0; r < c.size; ++r)
      if (r != c.rank) receive(round, r, blocks, r, 1);
  }
};

class Scatterv final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.size > 1 ? 1 : 0; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    if (c.rank != c.root) return receive(round, c.root, GivenBlocks{c.counts_received, 0, c.size}, c.rank, 1);
    const GivenBlocks blocks{c.counts_sent, c.bytes / c.size, c.size};
    for (std::uint32_t r = 0; r < c.size; ++r)
      if (r != c.rank) send(round, r, blocks, r, 1);
  }
};

const CollectiveRegistration kGather{"gather/binomial", "a binomial tree to the root", make<Gather>};
const CollectiveRegistration kScatter{"scatter/binomial", "a binomial tree from the root", make<Scatter>};
const CollectiveRegistration kGatherv{"gatherv/linear", "all ranks to the root", make<Gatherv>};
const CollectiveRegistration kScatterv{"scatterv/linear", "the root to all ranks", make<Scatterv>};

}  // namespace
}  // namespace hybrid::collective
