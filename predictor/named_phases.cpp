#include "predictor/named_phases.h"

namespace hybrid {

std::span<const std::uint16_t> NamedPhases::begin(std::uint32_t phase) {
  end();
  current_ = place_of(phase);
  Remembered& begun = sets_[current_];
  if (begun.last_begin == 0 || begun.phase != phase) {
    begun.set.clear();
    begun.phase = phase;
    begun.trust = kMostTrust;
  }
  begun.last_begin = ++begins_;
  used_.clear();
  last_ = kNoPort;
  is_restored_ = begun.trust >= kTrusted;
  if (!is_restored_) return {};
  return begun.set.members();
}

void NamedPhases::end() {
  if (current_ == kNone || used_.size() == 0) return;
  Remembered& ended = sets_[current_];
  std::size_t common = 0;
  for (const Port d : used_.members()) common += ended.set.contains(d) ? 1 : 0;
  const std::size_t before = ended.set.size();
  const bool is_like = 2 * common >= before;
  if (before != 0) {
    if (is_like && ended.trust < kMostTrust) ++ended.trust;
    if (!is_like && ended.trust > 0) --ended.trust;
  }
  // If all destinations of a short occurrence are members, it was interrupted: keep the set.
  if (2 * used_.size() >= before || common < used_.size()) ended.set = used_;
}

// The index of the phase in sets_ or, if it is not remembered, of the phase that began longest ago.
std::size_t NamedPhases::place_of(std::uint32_t phase) const {
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < kRemembered; ++i) {
    if (sets_[i].last_begin != 0 && sets_[i].phase == phase) return i;
    if (sets_[i].last_begin < sets_[oldest].last_begin) oldest = i;
  }
  return oldest;
}

}  // namespace hybrid
