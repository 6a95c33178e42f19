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

// The first one is another.
void TransitionTable::learn_another(Entry& entry, std::uint16_t next) {
  std::size_t i = 0;
  while (i < kSuccessors && (entry.count[i] == 0 || entry.successor[i] != next)) ++i;
  if (i < kSuccessors) {
    ++entry.count[i];
    for (; i > 0 && entry.count[i] > entry.count[i - 1]; --i) {
      std::swap(entry.count[i], entry.count[i - 1]);
      std::swap(entry.successor[i], entry.successor[i - 1]);
    }
  } else if (constexpr std::size_t kLast = kSuccessors - 1; entry.count[kLast] > 1) {
    --entry.count[kLast];  // the least frequent wears off before a newcomer takes its place
  } else {
    const auto free = std::find(entry.count.begin(), entry.count.end(), 0);
    const auto at = free == entry.count.end() ? kLast : static_cast<std::size_t>(free - entry.count.begin());
    entry.successor[at] = next;
    entry.count[at] = 1;
  }
}

void TransitionTable::age(Entry& entry) {
  entry.total /= 2;
  for (std::uint8_t& count : entry.count) count /= 2;
}

}  // namespace hybrid
