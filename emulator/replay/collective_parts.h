// What the collective algorithms share: how a vector is cut into blocks, and arithmetic on ranks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "emulator/replay/collective.h"

namespace hybrid::collective {

constexpr bool is_power_of_two(std::uint32_t n) { return std::has_single_bit(n); }
/// Rounds of a doubling from 1 to `n`.
constexpr std::uint32_t log2_up(std::uint32_t n) {
  return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}
constexpr std::uint32_t add(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
  return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % size);
}
constexpr std::uint32_t subtract(std::uint32_t rank, std::uint32_t distance, std::uint32_t size) {
  return static_cast<std::uint32_t>((std::uint64_t{rank} + size - distance % size) % size);
}
/// The rank counted from the root, as trees are built.
constexpr std::uint32_t relative(const CollectiveCall& c) { return subtract(c.rank, c.root, c.size); }

/// Blocks of equal size.
struct EqualBlocks {
  Bytes block;
  Bytes sum(std::uint32_t /*first*/, std::uint32_t count) const { return block * count; }
};

/// A vector cut into `blocks` parts of ceil(total / blocks), the last ones shorter or empty (MPICH's scatter
/// for a broadcast).
struct CeilingBlocks {
  Bytes total;
  std::uint32_t blocks;
  Bytes end(std::uint32_t block) const { return std::min(total, (total + blocks - 1) / blocks * block); }
  /// first + count <= blocks
  Bytes sum(std::uint32_t first, std::uint32_t count) const { return end(first + count) - end(first); }
};

/// A vector of elements cut into `blocks` parts whose sizes differ by one element at most, the first larger
/// (MPICH's reductions). 8-byte elements; a vector that is none is cut by bytes.
struct BalancedBlocks {
  Bytes total;
  std::uint32_t blocks;
  Bytes end(std::uint32_t block) const {
    const Bytes element = total % 8 == 0 ? 8 : 1;
    const Bytes elements = total / element;
    return (elements / blocks * block + std::min<Bytes>(elements % blocks, block)) * element;
  }
  /// first + count may pass `blocks`: cyclic.
  Bytes sum(std::uint32_t first, std::uint32_t count) const {
    first %= blocks;
    if (first + count <= blocks) return end(first + count) - end(first);
    return total - end(first) + end(first + count - blocks);
  }
};

/// Blocks of given sizes; without sizes all are `otherwise`. Cyclic.
struct GivenBlocks {
  std::span<const Bytes> sizes;
  Bytes otherwise;
  std::uint32_t blocks;
  Bytes sum(std::uint32_t first, std::uint32_t count) const {
    if (sizes.empty()) return otherwise * count;
    Bytes bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) bytes += sizes[(first + i) % blocks];
    return bytes;
  }
};

template <class Blocks>
void send(Round& round, std::uint32_t to, const Blocks& blocks, std::uint32_t first, std::uint32_t count) {
  round.sends.push_back({to, blocks.sum(first, count), first, count});
}
template <class Blocks>
void receive(Round& round, std::uint32_t from, const Blocks& blocks, std::uint32_t first,
             std::uint32_t count) {
  round.receives.push_back({from, blocks.sum(first, count), first, count});
}

/// The ranks beyond the largest power of two fold themselves into their neighbours, which then act for both
/// (MPICH: the first 2 * rem ranks pair up). `odd_acts`: of a pair the odd rank acts, else the even one.
struct Folding {
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};
  std::uint32_t power, rest;
  bool odd_acts;

  Folding(std::uint32_t size, bool odd) : power(std::bit_floor(size)), rest(size - power), odd_acts(odd) {}
  bool paired(std::uint32_t rank) const { return rank < 2 * rest; }
  /// The rank among the acting ones, or kIdle.
  std::uint32_t acting(std::uint32_t rank) const {
    if (!paired(rank)) return rank - rest;
    return (rank % 2 != 0) == odd_acts ? rank / 2 : kIdle;
  }
  std::uint32_t real(std::uint32_t acting) const {
    return acting < rest ? 2 * acting + (odd_acts ? 1 : 0) : acting + rest;
  }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(std::countr_zero(power)); }
};

/// Recursive halving by distances 1, 2, 4, ...: after step k a rank keeps `count(k + 1)` of `power` parts
/// from `first(rank, k + 1)` on; the doubling that gathers them again goes back the same way.
struct Halving {
  std::uint32_t power;
  std::uint32_t count(std::uint32_t step) const { return power >> step; }
  std::uint32_t first(std::uint32_t rank, std::uint32_t step) const {
    std::uint32_t part = 0;
    for (std::uint32_t k = 0; k < step; ++k)
      if ((rank >> k & 1) != 0) part += power >> (k + 1);
    return part;
  }
};

/// Registers `Algorithm` (default constructible) under a name.
template <class Algorithm>
std::unique_ptr<CollectiveAlgorithm> make() {
  return std::make_unique<Algorithm>();
}

}  // namespace hybrid::collective
