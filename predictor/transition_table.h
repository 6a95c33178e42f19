// How often which destination followed which context: the conditional probabilities of a Markov predictor
// (D 2.1.2), in bounded memory.
//
// A context (the last destination, or the last few) hashes to one 16-byte entry, which keeps the four most
// frequent successors with their counts. The total counts every successor seen, kept or not, so that
// count / total is the probability. Counts are halved when the total reaches kAgeAt: what happened long ago
// fades, and a new habit of the program is learnt within some tens of sends.
//
// Contexts outnumber entries at many destinations. An entry is defended by its trust, restored by every use:
// a stranger wears it down before it takes over, so that a cycle over more contexts than entries keeps a part
// of them rather than none, and contexts of a finished phase still make room.
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

  /// For about `contexts` contexts.
  explicit TransitionTable(std::size_t contexts);

  /// `next` followed `context`. O(1).
  void learn(std::uint64_t context, Port next);
  /// Likewise where find() has the entry of the context: what spares looking it up again.
  static void learn(Entry& entry, Port next) {
    entry.trust = kTrust;
    if (entry.successor[0] == next && entry.count[0] != 0)
      ++entry.count[0];
    else
      learn_another(entry, static_cast<std::uint16_t>(next));
    if (++entry.total == kAgeAt) age(entry);
  }
  /// Beside the object itself.
  std::size_t heap_bytes() const { return entries_.size() * sizeof(Entry); }
  /// What is known of `context`, or nullptr. It stays there until another context is learnt.
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
  // Fibonacci hashing: the product's top bits are the index, the next 16 the tag. Neighbouring contexts
  // spread evenly. Two contexts alike in both share their statistics (one pair in 2^27 at full size): a guess
  // is worse then, and nothing else.
  Place place_of(std::uint64_t context) const {
    const std::uint64_t hash = context * 0x9E3779B97F4A7C15ULL;
    return {static_cast<std::size_t>(hash >> shift_), static_cast<std::uint16_t>(hash >> (shift_ - 16))};
  }

  std::vector<Entry> entries_;
  unsigned shift_;
};

}  // namespace hybrid
