// MPI_Gather and MPI_Scatter: binomial trees; MPI_Gatherv and MPI_Scatterv: the root alone with everybody.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// Round k: of two ranks 2^k apart (counted from the root) the farther one sends its subtree's blocks.
class Gather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    if (c.bytes == 0) return 0;
    const std::uint32_t self = relative(c);
    return self == 0 ? log2_up(c.size) : static_cast<std::uint32_t>(std::countr_zero(self)) + 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t self = relative(c), mask = 1u << index;
    const EqualBlocks blocks{c.bytes};
    if ((self & mask) != 0)
      send(round, add(self - mask, c.root, c.size), blocks, c.rank, std::min(mask, c.size - self));
    else if (const std::uint32_t child = self + mask; child < c.size)
      receive(round, add(child, c.root, c.size), blocks, add(child, c.root, c.size),
              std::min(mask, c.size - child));
  }
};

/// The same tree the other way round: from the root, the farther half first.
class Scatter final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    if (c.bytes == 0) return 0;
    const std::uint32_t self = relative(c);
    return self == 0 ? log2_up(c.size) : static_cast<std::uint32_t>(std::countr_zero(self)) + 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t self = relative(c), mask = 1u << (rounds(c) - 1 - index);
    const EqualBlocks blocks{c.bytes};
    if ((self & mask) != 0)
      receive(round, add(self - mask, c.root, c.size), blocks, c.rank, std::min(mask, c.size - self));
    else if (const std::uint32_t child = self + mask; child < c.size)
      send(round, add(child, c.root, c.size), blocks, add(child, c.root, c.size),
           std::min(mask, c.size - child));
  }
};

/// Zero blocks travel too: only the root knows them.
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
const CollectiveRegistration kGatherv{"gatherv/linear", "everybody to the root", make<Gatherv>};
const CollectiveRegistration kScatterv{"scatterv/linear", "the root to everybody", make<Scatterv>};

}  // namespace
}  // namespace hybrid::collective
