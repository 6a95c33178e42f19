#include "predictor/transition_table.h"

#include <algorithm>
#include <utility>

namespace hybrid {

TransitionTable::TransitionTable(std::size_t contexts)
    : entries_(std::bit_ceil(std::clamp<std::size_t>(contexts, 64, kMostEntries))),
      shift_(64 - static_cast<unsigned>(std::countr_zero(entries_.size()))) {}

void TransitionTable::learn(std::uint64_t context, Port next) {
  const Place place = place_of(context);
  Entry& entry = entries_[place.index];
  if (entry.total == 0 || entry.tag != place.tag) {
    if (entry.total != 0 && entry.trust != 0) {
      --entry.trust;
      return;
    }
    entry = {};
    entry.tag = place.tag;
  }
  learn(entry, next);
}

// Counts a successor other than the first one. Counts are in descending order, with zeros at the end.
void TransitionTable::learn_another(Entry& entry, std::uint16_t next) {
  std::size_t known = 0, i = kSuccessors;
  for (std::size_t k = kSuccessors; k-- > 0;) {
    known += entry.count[k] != 0 ? 1 : 0;
    i = entry.successor[k] == next ? k : i;
  }
  if (i < known) {
    ++entry.count[i];
    for (; i > 0 && entry.count[i] > entry.count[i - 1]; --i) {
      std::swap(entry.count[i], entry.count[i - 1]);
      std::swap(entry.successor[i], entry.successor[i - 1]);
    }
  } else if (constexpr std::size_t kLast = kSuccessors - 1; entry.count[kLast] > 1) {
    --entry.count[kLast];  // the least frequent successor is replaced only when its count is low
  } else {
    const std::size_t at = std::min(known, kLast);
    entry.successor[at] = next;
    entry.count[at] = 1;
  }
}

void TransitionTable::age(Entry& entry) {
  entry.total /= 2;
  for (std::uint8_t& count : entry.count) count /= 2;
}

}  // namespace hybrid
