// TransitionTable: counts of the successors of each context: the conditional probabilities of a Markov
// predictor (D 2.1.2), in bounded memory.
//
// A context (the last destination, or the last few) is hashed to one entry of 16 bytes with the four most
// frequent successors and their counts. The total counts all successors, stored or not, so that count / total
// is the probability. Counts are halved when the total reaches kAgeAt: old transitions lose weight, and a
// change in the program's behaviour is learnt within some tens of sends.
//
// With many destinations there are more contexts than entries. Every use of an entry restores its trust;
// every other context with the same entry decrements it, and replaces the entry at 0. So in a cycle over more
// contexts than entries a part of the contexts stays, and contexts of a finished phase are replaced.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class TransitionTable {
 public:
  static constexpr std::size_t kSuccessors = 4;
  static constexpr std::size_t kMostEntries = 2048;  // 32 KiB
  static constexpr unsigned kAgeAt = 64;

  struct Entry {
    std::array<std::uint16_t, kSuccessors> successor{};
    std::array<std::uint8_t, kSuccessors> count{};  // descending
    std::uint16_t tag = 0;
    std::uint8_t total = 0;  // 0: the entry is empty
    std::uint8_t trust = 0;
  };
  static_assert(sizeof(Entry) == 16);

  /// A table for about `contexts` contexts.
  explicit TransitionTable(std::size_t contexts);

  /// Counts `next` as a successor of `context`. O(1).
  void learn(std::uint64_t context, Port next);
  /// The same for an entry returned by find(), without another look-up.
  static void learn(Entry& entry, Port next) {
    entry.trust = kTrust;
    if (entry.successor[0] == next && entry.count[0] != 0)
      ++entry.count[0];
    else
      learn_another(entry, static_cast<std::uint16_t>(next));
    if (++entry.total == kAgeAt) age(entry);
  }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return entries_.size() * sizeof(Entry); }
  /// The entry of `context`, or nullptr. Valid until another context is learnt.
  Entry* find(std::uint64_t context) {
    const Place place = place_of(context);
    Entry& entry = entries_[place.index];
    return entry.tag == place.tag && entry.total != 0 ? &entry : nullptr;
  }

 private:
  static constexpr std::uint8_t kTrust = 3;
  static void learn_another(Entry& entry, std::uint16_t next);
  static void age(Entry& entry);
  struct Place {
    std::size_t index;
    std::uint16_t tag;
  };
  // Fibonacci hashing: the top bits of the product are the index, the next 16 the tag. Neighbouring contexts
  // are distributed evenly. Two contexts with the same index and tag share their counts (one pair in 2^27 at
  // full size); the only effect is a wrong forecast.
  Place place_of(std::uint64_t context) const {
    const std::uint64_t hash = context * 0x9E3779B97F4A7C15ULL;
    return {static_cast<std::size_t>(hash >> shift_), static_cast<std::uint16_t>(hash >> (shift_ - 16))};
  }

  std::vector<Entry> entries_;
  unsigned shift_;
};

}  // namespace hybrid
