// MPI_Reduce_scatter and MPI_Reduce_scatter_block: recursive halving for short vectors, pairwise exchange for
// long ones, recursive doubling (for operations that do not commute) by name.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

GivenBlocks blocks_of(const CollectiveCall& c) {
  return {c.op == CollectiveOp::reduce_scatter ? c.counts_received : std::span<const Bytes>{}, c.bytes,
          c.size};
}
bool nothing_to_do(const CollectiveCall& c) { return blocks_of(c).sum(0, c.size) == 0; }

class RecursiveHalving final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return nothing_to_do(c) ? 0 : Folding(c.size, true).steps() + 2;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Folding folding(c.size, true);
    const GivenBlocks blocks = blocks_of(c);
    const std::uint32_t steps = folding.steps();
    const bool even = c.rank % 2 == 0;
    if (index == 0) {
      if (!folding.paired(c.rank)) return;
      if (even)
        send(round, c.rank + 1, blocks, 0, c.size);
      else
        receive(round, c.rank - 1, blocks, 0, c.size);
      return;
    }
    if (index > steps) {
      if (!folding.paired(c.rank)) return;
      if (even && blocks.sum(c.rank, 1) != 0) receive(round, c.rank + 1, blocks, c.rank, 1);
      if (!even && blocks.sum(c.rank - 1, 1) != 0) send(round, c.rank - 1, blocks, c.rank - 1, 1);
      return;
    }
    const std::uint32_t self = folding.acting(c.rank);
    if (self == Folding::kIdle) return;
    // Halves by the highest bit first: what a rank keeps are the parts of those that share its higher bits.
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
  /// The real ranks' blocks that `count` acting ranks from `first` on stand for.
  static Range parts(const Folding& folding, std::uint32_t first, std::uint32_t count) {
    const auto start = [&](std::uint32_t acting) { return acting + std::min(acting, folding.rest); };
    return {start(first), start(first + count) - start(first)};
  }
};

class Pairwise final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return nothing_to_do(c) ? 0 : c.size - 1; }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = blocks_of(c);
    const std::uint32_t to = add(c.rank, index + 1, c.size);
    send(round, to, blocks, to, 1);
    receive(round, subtract(c.rank, index + 1, c.size), blocks, c.rank, 1);
  }
};

/// Round k exchanges with the rank 2^k away all but the blocks of the own group of 2^k ranks.
class RecursiveDoubling final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return nothing_to_do(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = blocks_of(c);
    const std::uint32_t distance = 1u << index, other = c.rank ^ distance;
    const auto group_end = [&](std::uint32_t rank) { return ((rank & ~(distance - 1)) + distance) % c.size; };
    send(round, other, blocks, group_end(c.rank), c.size - distance);
    receive(round, other, blocks, group_end(other), c.size - distance);
  }
};

constexpr std::string_view kHalvingText = "recursive halving, for any number of ranks";
constexpr std::string_view kPairwiseText = "n - 1 rounds of one exchange";
constexpr std::string_view kDoublingText = "recursive doubling, in rank order (a power of two of ranks)";

const CollectiveRegistration kHalving{"reduce_scatter/recursive-halving", kHalvingText,
                                      make<RecursiveHalving>};
const CollectiveRegistration kHalvingB{"reduce_scatter_block/recursive-halving", kHalvingText,
                                       make<RecursiveHalving>};
const CollectiveRegistration kPairwise{"reduce_scatter/pairwise", kPairwiseText, make<Pairwise>};
const CollectiveRegistration kPairwiseB{"reduce_scatter_block/pairwise", kPairwiseText, make<Pairwise>};
const CollectiveRegistration kDoubling{"reduce_scatter/recursive-doubling", kDoublingText,
                                       make<RecursiveDoubling>};
const CollectiveRegistration kDoublingB{"reduce_scatter_block/recursive-doubling", kDoublingText,
                                        make<RecursiveDoubling>};

}  // namespace
}  // namespace hybrid::collective
