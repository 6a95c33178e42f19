// Visits sets of ports in the order of a rotating priority (D 5.3.2): first, first + 1, ..., last port, 0,
// ..., first - 1. The searches are always inlined, so that the words from `word_at` stay in registers.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

/// The lowest port in word `w` of a set. Requires: bits != 0.
constexpr Port lowest_port(std::size_t w, Word bits) {
  return static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Calls `visit(port)` for every member in rotated order.
template <class Visit>
void for_each_rotated(const PortSet& set, Port first, Visit&& visit) {
  const std::span<const Word> words = set.words();
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const auto visit_word = [&](std::size_t w, Word bits) {
    for (; bits != 0; bits &= bits - 1) visit(lowest_port(w, bits));
  };
  visit_word(start, words[start] & upper);
  for (std::size_t w = start + 1; w < words.size(); ++w) visit_word(w, words[w]);
  for (std::size_t w = 0; w < start; ++w) visit_word(w, words[w]);
  visit_word(start, words[start] & ~upper);
}

/// The first member, in rotated order, of a set of `words` words with `word_at(w)` as word w; or kNoPort.
template <class WordAt>
[[gnu::always_inline]] inline Port first_rotated(std::size_t words, Port first, WordAt&& word_at) {
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const Word begin = word_at(start);
  if (const Word bits = begin & upper; bits != 0) return lowest_port(start, bits);
  for (std::size_t w = start + 1; w < words; ++w)
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  for (std::size_t w = 0; w < start; ++w)
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  if (const Word bits = begin & ~upper; bits != 0) return lowest_port(start, bits);
  return kNoPort;
}

/// The same for a set of up to 64 words. Requires: word w is 0 unless bit w of `some` is set.
template <class WordAt>
[[gnu::always_inline]] inline Port first_rotated_of(Word some, Port first, WordAt&& word_at) {
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const Word begin = word_at(start);
  if (const Word bits = begin & upper; bits != 0) return lowest_port(start, bits);
  for (Word rest = std::rotr(some & ~bit_of(start), static_cast<int>(start)); rest != 0; rest &= rest - 1) {
    const std::size_t w = (start + static_cast<std::size_t>(std::countr_zero(rest))) % kWordBits;
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  }
  if (const Word bits = begin & ~upper; bits != 0) return lowest_port(start, bits);
  return kNoPort;
}

/// The first port, in rotated order, that is in both `a` and `b`, or kNoPort. Requires: equal sizes.
inline Port first_of_both(std::span<const Word> a, std::span<const Word> b, Port first) {
  return first_rotated(a.size(), first, [&](std::size_t w) { return a[w] & b[w]; });
}

}  // namespace hybrid
