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

class Ring final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return nothing_to_do(c) ? 0 : c.size - 1; }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = blocks_of(c);
    send(round, add(c.rank, 1, c.size), blocks, subtract(c.rank, index, c.size), 1);
    receive(round, subtract(c.rank, 1, c.size), blocks, subtract(c.rank, index + 1, c.size), 1);
  }
};

/// The same where blocks differ: long ones are cut into pieces, one a round each way, so that a block is
/// passed on while it still arrives. A round in which a side's block is empty leaves that side out.
class PipelinedRing final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    if (c.size < 2 || nothing_to_do(c)) return 0;
    const GivenBlocks blocks = blocks_of(c);
    const Bytes piece = piece_size(c, blocks);
    std::uint32_t pieces = 0;
    for (std::uint32_t b = 0; b < c.size; ++b) pieces += pieces_of(blocks.sum(b, 1), piece);
    // All that is sent but the right neighbour's block, all that is received but the own.
    const std::uint32_t least = std::min(pieces_of(blocks.sum(c.rank, 1), piece),
                                         pieces_of(blocks.sum(add(c.rank, 1, c.size), 1), piece));
    return pieces - least;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = blocks_of(c);
    const Bytes piece = piece_size(c, blocks);
    const std::uint32_t left = subtract(c.rank, 1, c.size), right = add(c.rank, 1, c.size);
    if (const Transfer t = find(c, blocks, piece, c.rank, index, right); t.bytes != 0)
      round.sends.push_back(t);
    if (const Transfer t = find(c, blocks, piece, left, index, left); t.bytes != 0)
      round.receives.push_back(t);
  }

 private:
  static constexpr Bytes kAllgathervPipelineMsgSize = 32768;  // MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE

  static Bytes piece_size(const CollectiveCall& c, const GivenBlocks& blocks) {
    for (std::uint32_t b = 0; b < c.size; ++b)
      if (blocks.sum(b, 1) > kAllgathervPipelineMsgSize) return kAllgathervPipelineMsgSize;
    return 0;
  }
  /// `piece` 0: blocks are not cut. An empty block takes a round too.
  static std::uint32_t pieces_of(Bytes block, Bytes piece) {
    return piece == 0 || block == 0 ? 1 : static_cast<std::uint32_t>((block + piece - 1) / piece);
  }
  /// Piece `index` of the blocks `first`, first - 1, ... of which there are size - 1.
  static Transfer find(const CollectiveCall& c, const GivenBlocks& blocks, Bytes piece, std::uint32_t first,
                       std::uint32_t index, std::uint32_t peer) {
    if (piece == 0) {
      if (index >= c.size - 1) return {peer, 0, 0, 0};
      const std::uint32_t block = subtract(first, index, c.size);
      return {peer, blocks.sum(block, 1), block, 1};
    }
    for (std::uint32_t b = 0; b + 1 < c.size; ++b) {
      const std::uint32_t block = subtract(first, b, c.size);
      const Bytes bytes = blocks.sum(block, 1);
      const std::uint32_t pieces = pieces_of(bytes, piece);
      if (index < pieces) return {peer, std::min(piece, bytes - std::min(bytes, piece * index)), block, 1};
      index -= pieces;
    }
    return {peer, 0, 0, 0};
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
const CollectiveRegistration kRingV{"allgatherv/ring", "n - 1 blocks around the ring, long ones in pieces",
                                    make<PipelinedRing>};

}  // namespace
}  // namespace hybrid::collective
