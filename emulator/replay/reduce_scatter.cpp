// MPI_Reduce_scatter and MPI_Reduce_scatter_block: recursive halving for short vectors, pairwise exchange for
// long ones, recursive doubling (for operations that do not commute) by name.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class RecursiveHalving final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const GivenBlocks blocks = member_blocks(c);
    const std::uint32_t steps = folding.steps();
    if (index == 0) return folding.fold_round(c, blocks, 0, c.size, false, round);
    if (index > steps) {
      const std::uint32_t even = c.rank & ~1u;  // the idle rank of the pair; the other one has its block
      if (blocks.sum(even, 1) != 0) folding.fold_round(c, blocks, even, 1, true, round);
      return;
    }
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    // Halves by the highest bit first: a rank keeps the parts of the ranks that share its higher bits.
    const std::uint32_t count = folding.power >> index, other = self ^ count;
    const std::uint32_t peer = folding.real(other);
    const Range mine = parts(folding, self & ~(count - 1), count);
    const Range theirs = parts(folding, other & ~(count - 1), count);
    if (blocks.sum(theirs.first, theirs.count) != 0) send(round, peer, blocks, theirs.first, theirs.count);
    if (blocks.sum(mine.first, mine.count) != 0) receive(round, peer, blocks, mine.first, mine.count);
  }

 private:
  struct Range {
    std::uint32_t first, count;
  };
  /// The blocks of the ranks for which `count` acting ranks from `first` on act.
  static Range parts(const Folding& folding, std::uint32_t first, std::uint32_t count) {
    const auto start = [&](std::uint32_t acting) { return acting + std::min(acting, folding.rest); };
    return {start(first), start(first + count) - start(first)};
  }
};

class PairwiseReduceScatter final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : c.size - 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = member_blocks(c);
    const std::uint32_t to = add(c.rank, index + 1, c.size);
    send(round, to, blocks, to, 1);
    receive(round, subtract(c.rank, index + 1, c.size), blocks, c.rank, 1);
  }
};

/// Round k exchanges all blocks but those of the rank's group of 2^k ranks with the rank 2^k away.
class RecursiveDoublingReduceScatter final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = member_blocks(c);
    const std::uint32_t distance = 1u << index, other = c.rank ^ distance;
    const auto group_end = [&](std::uint32_t rank) { return ((rank & ~(distance - 1)) + distance) % c.size; };
    send(round, other, blocks, group_end(c.rank), c.size - distance);
    receive(round, other, blocks, group_end(other), c.size - distance);
  }
};

constexpr std::string_view kReduceScatterHalvingText = "recursive halving, for any number of ranks";
constexpr std::string_view kReduceScatterPairwiseText = "n - 1 rounds of one exchange";
constexpr std::string_view kReduceScatterDoublingText =
    "recursive doubling, in rank order (a power of two of ranks)";

const CollectiveRegistration kReduceScatterHalving{"reduce_scatter/recursive-halving",
                                                   kReduceScatterHalvingText, make<RecursiveHalving>};
const CollectiveRegistration kReduceScatterHalvingB{"reduce_scatter_block/recursive-halving",
                                                    kReduceScatterHalvingText, make<RecursiveHalving>};
const CollectiveRegistration kReduceScatterPairwise{"reduce_scatter/pairwise", kReduceScatterPairwiseText,
                                                    make<PairwiseReduceScatter>};
const CollectiveRegistration kReduceScatterPairwiseB{"reduce_scatter_block/pairwise",
                                                     kReduceScatterPairwiseText, make<PairwiseReduceScatter>};
const CollectiveRegistration kReduceScatterDoubling{
    "reduce_scatter/recursive-doubling", kReduceScatterDoublingText, make<RecursiveDoublingReduceScatter>};
const CollectiveRegistration kReduceScatterDoublingB{"reduce_scatter_block/recursive-doubling",
                                                     kReduceScatterDoublingText,
                                                     make<RecursiveDoublingReduceScatter>};

}  // namespace
}  // namespace hybrid::collective
