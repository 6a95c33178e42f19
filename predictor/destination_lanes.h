// DestinationLanes: an ordered list of a few destinations, four in each machine word. A search takes a few
// instructions without a branch for each destination. For lists that are searched at every send.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/connection.h"

namespace hybrid {

/// List of up to `kMost` destinations below 65,535.
template <std::size_t kMost>
class DestinationLanes {
 public:
  std::size_t size() const { return size_; }
  void clear() {
    words_.fill(~std::uint64_t{0});
    size_ = 0;
  }
  Port operator[](std::size_t i) const { return words_[i / 4] >> shift(i) & 0xFFFF; }
  /// The index of `d`, or size().
  std::size_t find(Port d) const {
    for (std::size_t w = 0; w * 4 < size_; ++w)
      if (const std::uint64_t found = equal(words_[w], d); found != 0)
        return w * 4 + static_cast<std::size_t>(std::countr_zero(found)) / 16;
    return size_;
  }
  bool contains(Port d) const {
    std::uint64_t found = 0;
    for (const std::uint64_t word : words_) found |= equal(word, d);
    return found != 0;
  }
  /// Appends `d`. Requires: size() < kMost.
  void push_back(Port d) {
    words_[size_ / 4] ^= (d ^ kEmpty) << shift(size_);
    ++size_;
  }
  /// Removes the destination at `at` and inserts `d` at the front; those before `at` move up by one index.
  /// With at
  /// == size() nothing is removed.
  void to_front(std::size_t at, Port d) {
    std::uint64_t carry = d;
    for (std::size_t w = 0; w < at / 4; ++w) {
      const std::uint64_t word = words_[w];
      words_[w] = word << 16 | carry;
      carry = word >> 48;
    }
    std::uint64_t& word = words_[at / 4];
    const std::uint64_t below = (std::uint64_t{1} << shift(at)) - 1;
    word = (word & ~(below << 16 | 0xFFFF)) | (word & below) << 16 | carry;
    if (at == size_) ++size_;
  }
  /// Removes the destination at `at` and appends `d`; those after `at` move down by one index.
  void to_back(std::size_t at, Port d) {
    const std::size_t last = size_ - 1;
    const std::uint64_t below = (std::uint64_t{1} << shift(at)) - 1;
    std::size_t w = at / 4;
    std::uint64_t word = (words_[w] & below) | (words_[w] >> 16 & ~below);
    for (; w < last / 4; ++w) {
      words_[w] = (word & ~(kEmpty << 48)) | words_[w + 1] << 48;
      word = words_[w + 1] >> 16;
    }
    const std::uint64_t lanes_from_last = ~std::uint64_t{0} << shift(last);
    words_[w] = (word & ~lanes_from_last) | lanes_from_last << 16 | std::uint64_t{d} << shift(last);
  }

 private:
  static constexpr std::uint64_t kEmpty = 0xFFFF;
  static constexpr std::uint64_t kOnes = 0x0001'0001'0001'0001;

  static constexpr unsigned shift(std::size_t i) { return static_cast<unsigned>(i % 4) * 16; }
  // A word with its lowest set bit in the first lane that equals `d`; 0 if there is none. Higher bits are not
  // exact.
  static std::uint64_t equal(std::uint64_t word, Port d) {
    const std::uint64_t difference = word ^ d * kOnes;
    return (difference - kOnes) & ~difference & kOnes << 15;
  }

  static constexpr std::array<std::uint64_t, (kMost + 3) / 4> empty() {
    std::array<std::uint64_t, (kMost + 3) / 4> words;
    words.fill(~std::uint64_t{0});
    return words;
  }
  std::array<std::uint64_t, (kMost + 3) / 4> words_ = empty();
  std::size_t size_ = 0;
};

}  // namespace hybrid
