// MPI_Reduce: a binomial tree for short vectors, Rabenseifner's reduce-scatter and gather for long ones.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// Round k: of two ranks 2^k apart (counted from the root) the farther one sends what it has and is done.
class Binomial final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    if (c.bytes == 0) return 0;
    const std::uint32_t self = relative(c);
    return self == 0 ? log2_up(c.size) : static_cast<std::uint32_t>(std::countr_zero(self)) + 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t self = relative(c), mask = 1u << index;
    const CeilingBlocks vector{c.bytes, 1};
    if ((self & mask) != 0)
      send(round, add(self - mask, c.root, c.size), vector, 0, 1);
    else if (self + mask < c.size)
      receive(round, add(self + mask, c.root, c.size), vector, 0, 1);
  }
};

/// Rounds: the odd ones of the paired ranks fold in; recursive halving; a binomial gather to the root. A root
/// that folded in takes the place of rank 0, which first hands it its part.
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
    std::uint32_t self = folding.acting(c.rank);
    if (index == 0) {
      if (!folding.paired(c.rank)) return;
      if (self == Folding::kIdle)
        send(round, c.rank - 1, blocks, 0, folding.power);
      else
        receive(round, c.rank + 1, blocks, 0, folding.power);
      return;
    }
    if (index <= steps) {
      if (self == Folding::kIdle) return;
      const std::uint32_t step = index - 1, other = self ^ 1u << step, count = halving.count(step + 1);
      send(round, folding.real(other), blocks, halving.first(other, step + 1), count);
      receive(round, folding.real(other), blocks, halving.first(self, step + 1), count);
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
    // Those that differ from the root in a higher bit have sent already.
    if ((self >> (step + 1)) != (root >> (step + 1))) return;
    const std::uint32_t other = self ^ 1u << step, count = halving.count(step + 1);
    const std::uint32_t peer = root_folded && other == 0 ? c.root : folding.real(other);
    if (((other ^ root) >> step & 1) == 0)
      send(round, peer, blocks, halving.first(self, step + 1), count);
    else
      receive(round, peer, blocks, halving.first(other, step + 1), count);
  }
};

const CollectiveRegistration kBinomial{"reduce/binomial", "a binomial tree to the root", make<Binomial>};
const CollectiveRegistration kRabenseifner{"reduce/reduce-scatter-gather",
                                           "Rabenseifner: recursive halving, then a binomial gather",
                                           make<ReduceScatterGather>};

}  // namespace
}  // namespace hybrid::collective
