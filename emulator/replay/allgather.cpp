// MPI_Allgather and MPI_Allgatherv: recursive doubling (a power of two of ranks), Bruck's algorithm, a ring.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

GivenBlocks blocks_of(const CollectiveCall& c) {
  // allgatherv without sizes: what this rank sends stands for everybody's.
  return {c.op == CollectiveOp::allgatherv ? c.counts_received : std::span<const Bytes>{}, c.bytes, c.size};
}
bool nothing_to_do(const CollectiveCall& c) {
  const GivenBlocks blocks = blocks_of(c);
  return blocks.sum(0, c.size) == 0;
}

class RecursiveDoubling final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return nothing_to_do(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t distance = 1u << index, other = c.rank ^ distance;
    const GivenBlocks blocks = blocks_of(c);
    send(round, other, blocks, c.rank & ~(distance - 1), distance);
    receive(round, other, blocks, other & ~(distance - 1), distance);
  }
};

/// Round k passes the 2^k blocks gathered so far to the rank 2^k behind; a last one what is missing.
class Brucks final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return nothing_to_do(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t distance = 1u << index, count = std::min(distance, c.size - distance);
    const GivenBlocks blocks = blocks_of(c);
    const std::uint32_t source = add(c.rank, distance, c.size);
    send(round, subtract(c.rank, distance, c.size), blocks, c.rank, count);
    receive(round, source, blocks, source, count);
  }
};

/// Whole blocks; MPICH cuts a long allgatherv's into pieces of MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE, which
/// changes nothing where blocks are alike.
class Ring final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return nothing_to_do(c) ? 0 : c.size - 1; }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = blocks_of(c);
    send(round, add(c.rank, 1, c.size), blocks, subtract(c.rank, index, c.size), 1);
    receive(round, subtract(c.rank, 1, c.size), blocks, subtract(c.rank, index + 1, c.size), 1);
  }
};

constexpr std::string_view kDoublingText =
    "log2 n exchanges of all gathered so far (a power of two of ranks)";
constexpr std::string_view kBrucksText = "Bruck: ceil(log2 n) rounds for any number of ranks";
constexpr std::string_view kRingText = "n - 1 rounds, each block around the ring";

const CollectiveRegistration kDoubling{"allgather/recursive-doubling", kDoublingText,
                                       make<RecursiveDoubling>};
const CollectiveRegistration kDoublingV{"allgatherv/recursive-doubling", kDoublingText,
                                        make<RecursiveDoubling>};
const CollectiveRegistration kBrucks{"allgather/brucks", kBrucksText, make<Brucks>};
const CollectiveRegistration kBrucksV{"allgatherv/brucks", kBrucksText, make<Brucks>};
const CollectiveRegistration kRing{"allgather/ring", kRingText, make<Ring>};
const CollectiveRegistration kRingV{"allgatherv/ring", kRingText, make<Ring>};

}  // namespace
}  // namespace hybrid::collective
