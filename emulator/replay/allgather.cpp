// MPI_Allgather and MPI_Allgatherv: recursive doubling (a power of two of ranks), Bruck's algorithm, a ring.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class RecursiveDoublingAllgather final : public CollectiveAlgorithm {
 public:
  bool suits(const CollectiveCall& c) const override { return is_power_of_two(c.size); }
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    doubling_round(c, 0, member_blocks(c), index, round);
  }
};

/// Round k sends the 2^k blocks gathered so far to the rank 2^k behind; the last round only the missing ones.
class BrucksAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : log2_up(c.size);
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t distance = 1u << index, count = std::min(distance, c.size - distance);
    const GivenBlocks blocks = member_blocks(c);
    const std::uint32_t source = add(c.rank, distance, c.size);
    send(round, subtract(c.rank, distance, c.size), blocks, c.rank, count);
    receive(round, source, blocks, source, count);
  }
};

class RingAllgather final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return all_blocks_empty(c) ? 0 : c.size - 1;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    ring_round(c, c.rank, member_blocks(c), index, round);
  }
};

/// A ring of blocks with different sizes. Long blocks are divided into pieces, one piece in each direction
/// and round, so that a rank forwards the begin of a block before it has the end. A side whose block is empty
/// is left out of the round.
class PipelinedRing final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    if (c.size < 2 || all_blocks_empty(c)) return 0;
    const GivenBlocks blocks = member_blocks(c);
    const Bytes piece = piece_size(c, blocks);
    std::uint32_t pieces = 0;
    for (std::uint32_t b = 0; b < c.size; ++b) pieces += pieces_of(blocks.sum(b, 1), piece);
    // A rank sends all blocks but its right neighbour's, and receives all but its own.
    const std::uint32_t least = std::min(pieces_of(blocks.sum(c.rank, 1), piece),
                                         pieces_of(blocks.sum(add(c.rank, 1, c.size), 1), piece));
    return pieces - least;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const GivenBlocks blocks = member_blocks(c);
    const Bytes piece = piece_size(c, blocks);
    const std::uint32_t left = subtract(c.rank, 1, c.size), right = add(c.rank, 1, c.size);
    if (const Transfer t = find_piece(c, blocks, piece, c.rank, index, right); t.bytes != 0)
      round.sends.push_back(t);
    if (const Transfer t = find_piece(c, blocks, piece, left, index, left); t.bytes != 0)
      round.receives.push_back(t);
  }

 private:
  static constexpr Bytes kAllgathervPipelineMsgSize = 32768;  // MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE

  static Bytes piece_size(const CollectiveCall& c, const GivenBlocks& blocks) {
    for (std::uint32_t b = 0; b < c.size; ++b)
      if (blocks.sum(b, 1) > kAllgathervPipelineMsgSize) return kAllgathervPipelineMsgSize;
    return 0;
  }
  /// `piece` 0: blocks are not divided. An empty block takes a round, too.
  static std::uint32_t pieces_of(Bytes block, Bytes piece) {
    return piece == 0 || block == 0 ? 1 : static_cast<std::uint32_t>((block + piece - 1) / piece);
  }
  /// Piece `index` of the blocks `first`, first - 1, ... of which there are size - 1.
  static Transfer find_piece(const CollectiveCall& c, const GivenBlocks& blocks, Bytes piece,
                             std::uint32_t first, std::uint32_t index, std::uint32_t peer) {
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

constexpr std::string_view kAllgatherDoublingText =
    "log2 n exchanges of all gathered so far (a power of two of ranks)";
constexpr std::string_view kAllgatherBrucksText = "Bruck: ceil(log2 n) rounds for any number of ranks";
constexpr std::string_view kAllgatherRingText = "n - 1 rounds, each block around the ring";

const CollectiveRegistration kAllgatherDoubling{"allgather/recursive-doubling", kAllgatherDoublingText,
                                                make<RecursiveDoublingAllgather>};
const CollectiveRegistration kAllgatherDoublingV{"allgatherv/recursive-doubling", kAllgatherDoublingText,
                                                 make<RecursiveDoublingAllgather>};
const CollectiveRegistration kAllgatherBrucks{"allgather/brucks", kAllgatherBrucksText,
                                              make<BrucksAllgather>};
const CollectiveRegistration kAllgatherBrucksV{"allgatherv/brucks", kAllgatherBrucksText,
                                               make<BrucksAllgather>};
const CollectiveRegistration kAllgatherRing{"allgather/ring", kAllgatherRingText, make<RingAllgather>};
const CollectiveRegistration kAllgatherRingV{
    "allgatherv/ring", "n - 1 blocks around the ring, long ones in pieces", make<PipelinedRing>};

}  // namespace
}  // namespace hybrid::collective
