// MPI_Allreduce: recursive doubling for short vectors, Rabenseifner's reduce-scatter and allgather for long
// ones; a ring by name.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// The rounds before and after the power-of-two part: of each pair the even rank folds in, and gets the
/// result in the end.
void fold(const CollectiveCall& c, const Folding& folding, const BalancedBlocks& vector, bool out,
          Round& round) {
  if (!folding.paired(c.rank)) return;
  const bool even = c.rank % 2 == 0;
  if (even != out)
    send(round, even ? c.rank + 1 : c.rank - 1, vector, 0, vector.blocks);
  else
    receive(round, even ? c.rank + 1 : c.rank - 1, vector, 0, vector.blocks);
}

class RecursiveDoubling final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const BalancedBlocks vector{c.bytes, 1};
    if (index == 0 || index > folding.steps()) return fold(c, folding, vector, index != 0, round);
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    const std::uint32_t peer = folding.real(self ^ 1u << (index - 1));
    send(round, peer, vector, 0, 1);
    receive(round, peer, vector, 0, 1);
  }
};

class ReduceScatterAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return c.bytes == 0 ? 0 : 2 * Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const BalancedBlocks blocks{c.bytes, folding.power};
    const std::uint32_t steps = folding.steps();
    if (index == 0 || index > 2 * steps) return fold(c, folding, blocks, index != 0, round);
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    const bool halve = index <= steps;
    const std::uint32_t step = halve ? index - 1 : 2 * steps - index;
    const Halving halving{folding.power};
    const std::uint32_t other = self ^ 1u << step, count = halving.count(step + 1);
    const std::uint32_t mine = halving.first(self, step + 1), theirs = halving.first(other, step + 1);
    send(round, folding.real(other), blocks, halve ? theirs : mine, count);
    receive(round, folding.real(other), blocks, halve ? mine : theirs, count);
  }
};

/// n - 1 steps that reduce each part once around the ring, n - 1 that pass the results on.
class Ring final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.bytes == 0 ? 0 : 2 * (c.size - 1); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const BalancedBlocks blocks{c.bytes, c.size};
    // After the first n - 1 steps a rank has the whole of the part after its own, and passes that on first.
    const bool reduce = index < c.size - 1;
    const std::uint32_t start = reduce ? c.rank : add(c.rank, 1, c.size);
    const std::uint32_t first = subtract(start, reduce ? index : index - (c.size - 1), c.size);
    send(round, add(c.rank, 1, c.size), blocks, first, 1);
    receive(round, subtract(c.rank, 1, c.size), blocks, subtract(first, 1, c.size), 1);
  }
};

const CollectiveRegistration kDoubling{"allreduce/recursive-doubling",
                                       "the whole vector in ceil(log2 n) exchanges", make<RecursiveDoubling>};
const CollectiveRegistration kRabenseifner{"allreduce/reduce-scatter-allgather",
                                           "Rabenseifner: recursive halving, then recursive doubling",
                                           make<ReduceScatterAllgather>};
const CollectiveRegistration kRing{"allreduce/ring", "reduce-scatter and allgather around a ring",
                                   make<Ring>};

}  // namespace
}  // namespace hybrid::collective
