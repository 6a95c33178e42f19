#include "predictor/working_sets.h"

#include <algorithm>

namespace hybrid {

std::span<const std::uint16_t> WorkingSets::send(Port destination) {
  if (entry_ == kNoPort) return begin(begun_by(destination), destination, before_);
  if (is_member(destination)) {
    use_member(destination);
    return {};
  }
  if (evidence_ == 0) {
    if (const std::size_t known = begun_by(destination); known != kNone) {
      const bool was_stray = mistaken();
      if (was_stray) distrust();
      return begin(known, destination, was_stray ? before_ : remember(known));
    }
  }
  if (!is_settled()) {
    join(destination);
    return {};
  }
  evidence_ += kForeign;
  if (!foreign_.is_full() && !foreign_.contains(destination)) foreign_.add(destination);
  if (evidence_ < kChange) return {};

  // Another phase. It began with the first of the foreign sends, or with the send that was mistaken for an
  // entry.
  SmallSet seen = foreign_;
  Port entry = seen.members().front();
  std::size_t before = before_;
  if (mistaken()) {
    distrust();
    entry = entry_;
    if (!seen.is_full()) seen.add(entry);
  } else {
    before = remember(kNone);
  }
  const auto set = begin(with_all_of(seen), entry, before);
  is_on_trial_ = false;
  if (known_ != kNone && sets_[known_].entry == entry) trust();
  for (Port d : seen.members())
    if (!used_.contains(d)) used_.add(d);
  return set;
}

void WorkingSets::end_phase() {
  if (entry_ == kNoPort) return;
  before_ = remember(kNone);
  entry_ = kNoPort;
}

void WorkingSets::use_member(Port d) {
  if (!used_.is_full() && !used_.contains(d)) used_.add(d);
  ++quiet_;
  evidence_ = std::max(0, evidence_ - kMember);
  if (evidence_ == 0) foreign_.clear();
  if (!is_on_trial_) return;
  is_on_trial_ = false;
  trust();
}

// If the set is full, learning starts again.
void WorkingSets::join(Port d) {
  if (used_.is_full()) used_.clear();
  used_.add(d);
  quiet_ = 0;
}

void WorkingSets::trust() {
  sets_[known_].trust = std::min<std::uint8_t>(kMostTrust, sets_[known_].trust + 1);
}
void WorkingSets::distrust() { sets_[known_].trust -= sets_[known_].trust == 0 ? 0 : 1; }

// The remembered set with that entry. Of several, the one that followed the set of the current phase the last
// time, or else the latest.
std::size_t WorkingSets::begun_by(Port entry) const {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < kRemembered; ++i) {
    const Remembered& r = sets_[i];
    if (r.last_phase == 0 || r.entry != entry || r.trust == 0 || i == known_) continue;
    const auto follows = [&](const Remembered& x) { return known_ != kNone && x.after == known_; };
    if (best == kNone || follows(r) > follows(sets_[best]) ||
        (follows(r) == follows(sets_[best]) && r.last_phase > sets_[best].last_phase))
      best = i;
  }
  return best;
}

std::size_t WorkingSets::with_all_of(const SmallSet& part) const {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < kRemembered; ++i) {
    const Remembered& r = sets_[i];
    if (r.last_phase == 0 || (best != kNone && r.last_phase < sets_[best].last_phase)) continue;
    const auto has = [&](Port d) { return r.set.contains(d); };
    if (std::all_of(part.members().begin(), part.members().end(), has)) best = i;
  }
  return best;
}

// A remembered set that shares at least half of the union of members with `set`.
std::size_t WorkingSets::like(const SmallSet& set) const {
  for (std::size_t i = 0; i < kRemembered; ++i) {
    const Remembered& r = sets_[i];
    if (r.last_phase == 0) continue;
    std::size_t common = 0;
    for (Port d : set.members()) common += r.set.contains(d) ? 1 : 0;
    if (2 * common >= set.size() + r.set.size() - common) return i;
  }
  return kNone;
}

std::size_t WorkingSets::oldest_but(std::size_t keep) const {
  std::size_t oldest = keep == 0 ? 1 : 0;
  for (std::size_t i = oldest + 1; i < kRemembered; ++i)
    if (i != keep && sets_[i].last_phase < sets_[oldest].last_phase) oldest = i;
  return oldest;
}

// Remembers the set of this phase, and returns its index or kNone. Does not replace the set `keep`.
std::size_t WorkingSets::remember(std::size_t keep) {
  std::size_t place = known_;
  if (place == kNone) {
    if (!is_settled()) return kNone;
    place = like(used_);
    if (place == keep) place = kNone;
    if (place == kNone) {
      place = oldest_but(keep);
      sets_[place].trust = kMostTrust;
    }
    sets_[place].entry = entry_;
    sets_[place].set = used_;
  } else if (2 * used_.size() >= sets_[place].set.size()) {
    // An interrupted occurrence does not change the set.
    sets_[place].set = used_;
  }
  sets_[place].last_phase = phases_;
  sets_[place].after = before_;
  return place;
}

std::span<const std::uint16_t> WorkingSets::begin(std::size_t known, Port entry, std::size_t before) {
  ++phases_;
  known_ = known;
  before_ = before;
  entry_ = entry;
  used_.clear();
  used_.add(entry);
  foreign_.clear();
  evidence_ = 0;
  quiet_ = 0;
  is_on_trial_ = known != kNone;
  if (known == kNone) return {};
  ++recurrences_;
  return sets_[known].set.members();
}

}  // namespace hybrid
