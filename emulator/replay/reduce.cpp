// MPI_Reduce: a binomial tree for short vectors, Rabenseifner's reduce-scatter and gather for long ones.
// MPI_Allreduce: recursive doubling for short vectors, Rabenseifner's reduce-scatter and allgather for long
// ones; a ring by name. MPI_Scan and MPI_Exscan: recursive doubling.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class ReduceBinomial final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : BinomialTree(c).rounds();
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const CeilingBlocks vector{c.bytes, 1};
    const auto edge = BinomialTree(c).edge_to_root(index);
    if (!edge) return;
    if (edge->to_parent)
      send(round, edge->peer, vector, 0, 1);
    else
      receive(round, edge->peer, vector, 0, 1);
  }
};

/// Rounds: the odd ranks of the pairs fold into the even ones; recursive halving; a binomial gather to the
/// root. A root that has folded takes the place of rank 0, which first sends it its part.
class ReduceScatterGather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 || c.size == 1 ? 0 : 2 + 2 * Folding(c.size, false).steps();
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, false);
    const BalancedBlocks blocks{c.bytes, folding.power};
    const Halving halving{folding.power};
    const std::uint32_t steps = folding.steps();
    if (index == 0) return folding.fold_round(c, blocks, 0, folding.power, false, round);
    std::uint32_t self = folding.acting(c.rank);
    if (index <= steps) {
      if (self != Folding::kIdle) halving.exchange(folding, self, blocks, index - 1, false, round);
      return;
    }
    const bool root_folded = folding.acting(c.root) == Folding::kIdle;
    if (index == steps + 1) {
      if (!root_folded) return;
      if (c.rank == c.root) receive(round, 0, blocks, 0, 1);
      if (self == 0) send(round, c.root, blocks, 0, 1);
      return;
    }
    const std::uint32_t root = root_folded ? 0 : folding.acting(c.root);
    if (root_folded && self == 0) return;
    if (c.rank == c.root) self = root;
    if (self == Folding::kIdle) return;
    const std::uint32_t step = 2 * steps + 1 - index;
    // Ranks that differ from the root in a higher bit have sent already.
    if ((self >> (step + 1)) != (root >> (step + 1))) return;
    const std::uint32_t other = self ^ 1u << step, count = halving.count(step + 1);
    const std::uint32_t peer = root_folded && other == 0 ? c.root : folding.real(other);
    if (((other ^ root) >> step & 1) == 0)
      send(round, peer, blocks, halving.first(self, step + 1), count);
    else
      receive(round, peer, blocks, halving.first(other, step + 1), count);
  }
};

/// The even ranks of the pairs fold into the odd ones, and receive the result in the last round.
class AllreduceDoubling final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const BalancedBlocks vector{c.bytes, 1};
    if (index == 0 || index > folding.steps()) return folding.fold_round(c, vector, 0, 1, index != 0, round);
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    const std::uint32_t peer = folding.real(self ^ 1u << (index - 1));
    send(round, peer, vector, 0, 1);
    receive(round, peer, vector, 0, 1);
  }
};

/// The same folding, with recursive halving and the doubling that reverses it.
class ReduceScatterAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : 2 * Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const BalancedBlocks blocks{c.bytes, folding.power};
    const std::uint32_t steps = folding.steps();
    if (index == 0 || index > 2 * steps)
      return folding.fold_round(c, blocks, 0, blocks.blocks, index != 0, round);
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    const bool doubling = index > steps;
    const std::uint32_t step = doubling ? 2 * steps - index : index - 1;
    Halving{folding.power}.exchange(folding, self, blocks, step, doubling, round);
  }
};

/// n - 1 rounds that reduce each part once around the ring, and n - 1 that distribute the results.
class AllreduceRing final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.bytes == 0 ? 0 : 2 * (c.size - 1); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const BalancedBlocks blocks{c.bytes, c.size};
    // After the first n - 1 rounds a rank has the whole of the part after its own, which it sends first.
    if (index < c.size - 1)
      ring_round(c, c.rank, blocks, index, round);
    else
      ring_round(c, add(c.rank, 1, c.size), blocks, index - (c.size - 1), round);
  }
};

/// Round k exchanges the sums of groups of 2^k ranks with the rank 2^k away, if there is one.
class ScanDoubling final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.bytes == 0 ? 0 : log2_up(c.size); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t other = c.rank ^ 1u << index;
    if (other >= c.size) return;
    const EqualBlocks vector{c.bytes};
    send(round, other, vector, 0, 1);
    receive(round, other, vector, 0, 1);
  }
};

const CollectiveRegistration kReduceBinomial{"reduce/binomial", "a binomial tree to the root",
                                             make<ReduceBinomial>};
const CollectiveRegistration kReduceRabenseifner{"reduce/reduce-scatter-gather",
                                                 "Rabenseifner: recursive halving, then a binomial gather",
                                                 make<ReduceScatterGather>};
const CollectiveRegistration kAllreduceDoubling{
    "allreduce/recursive-doubling", "the whole vector in ceil(log2 n) exchanges", make<AllreduceDoubling>};
const CollectiveRegistration kAllreduceRabenseifner{
    "allreduce/reduce-scatter-allgather", "Rabenseifner: recursive halving, then recursive doubling",
    make<ReduceScatterAllgather>};
const CollectiveRegistration kAllreduceRing{"allreduce/ring", "reduce-scatter and allgather around a ring",
                                            make<AllreduceRing>};
const CollectiveRegistration kScan{"scan/recursive-doubling", "ceil(log2 n) exchanges of the vector",
                                   make<ScanDoubling>};
const CollectiveRegistration kExscan{"exscan/recursive-doubling", "ceil(log2 n) exchanges of the vector",
                                     make<ScanDoubling>};

}  // namespace
}  // namespace hybrid::collective
