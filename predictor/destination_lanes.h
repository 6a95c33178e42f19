// A few destinations in order, four to a machine word: whether one is among them, and where, is a matter of a
// few instructions without a branch for each. For lists that are searched with every send.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/connection.h"

namespace hybrid {

/// Up to `kMost` destinations below 65,535. Places from size() on are empty.
template <std::size_t kMost>
class DestinationLanes {
 public:
  std::size_t size() const { return size_; }
  void clear() {
    words_.fill(~std::uint64_t{0});
    size_ = 0;
  }
  Port operator[](std::size_t i) const { return words_[i / 4] >> shift(i) & 0xFFFF; }
  /// The place of `d`, or size().
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
  /// At the end. There must be room.
  void push_back(Port d) {
    words_[size_ / 4] ^= (d ^ kEmpty) << shift(size_);
    ++size_;
  }
  /// To the place 0 comes `d`, all before `at` move on by one, and what was at `at` is lost; at == size()
  /// adds.
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
  /// What is at `at` goes, all after it move up, and `d` is the last.
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
  // Its lowest bit is in the first lane that is `d`; those above it may be in others.
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
