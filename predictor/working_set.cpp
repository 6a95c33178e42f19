#include "predictor/working_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/zeroed_array.h"
#include "predictor/holdings.h"
#include "predictor/named_phases.h"
#include "predictor/predictor.h"

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

// Predictor `working-set`: as lru, but restores the working set of a phase that recurs. The whole set is
// requested with the first message of the phase, so that only this message waits (the second-level working
// set of D 5.2.3, without a compiler). If the phase is named (predictor/named_phases.h), the set is requested
// at its begin, and no message waits.
//
// With capacity c the first c members in the order of use are requested. Without a limit, a destination that
// was neither used nor requested within the last `threshold` sends is released.
//
// Weak on: phases that begin with a different destination every time, and sets that never recur.

namespace {

class WorkingSetPredictor final : public Predictor {
 public:
  explicit WorkingSetPredictor(const PredictorShape& shape)
      : held_(shape.destinations),
        used_at_(shape.capacity == 0 ? shape.destinations : 0),
        capacity_(most_held(shape)),
        threshold_(shape.threshold),
        is_limited_(shape.capacity != 0) {}

  Decisions on_send(Time, Port destination, Bytes, std::uint64_t) override {
    requested_count_ = released_count_ = 0;
    ++sends_;
    named_.send(destination);
    // If the set of the current named phase contains the destination, the phase continues.
    const auto recurring = tracker_.send(destination);
    if (!named_.is_restored(destination)) restore(recurring, destination);
    use(destination);
    if (!is_limited_) drop_stale();
    return {{released_.data(), released_count_}, {requested_.data(), requested_count_}};
  }

  bool takes_phases() const override { return true; }
  Decisions on_phase(Time, std::uint32_t phase) override {
    requested_count_ = released_count_ = 0;
    restore(named_.begin(phase), kNoPort);
    return {{released_.data(), released_count_}, {requested_.data(), requested_count_}};
  }

  void on_flush() override {
    held_.clear();
    tracker_.end_phase();
  }
  bool holds(Port destination) const override { return held_.contains(destination); }
  std::size_t state_bytes() const override {
    return sizeof(*this) + held_.heap_bytes() + used_at_.size() * sizeof(std::uint16_t);
  }

 private:
  // A restored set, and the destination itself.
  static constexpr std::size_t kMost = SmallSet::kMost + 1;

  // Requests as much of `set` as there is room for in addition to `destination` (kNoPort: none).
  void restore(std::span<const std::uint16_t> set, Port destination) {
    std::size_t end = 0;
    for (std::size_t room = capacity_ - (destination == kNoPort ? 0 : 1); end < set.size() && room > 0; ++end)
      room -= set[end] == destination ? 0 : 1;
    // In reverse order, so that the last member is the first to be dropped. Held members come first, so that
    // none of them is dropped for another one.
    for (std::size_t i = end; i-- > 0;)
      if (held_.contains(set[i])) use(set[i]);
    for (std::size_t i = end; i-- > 0;)
      if (set[i] != destination) use(set[i]);
  }
  void use(Port d) {
    if (!is_limited_) used_at_[d] = sends_;
    if (held_.contains(d)) {
      held_.renew(d, held_.top());
      return;
    }
    if (held_.size() == capacity_) drop(held_.oldest());
    held_.insert(d, held_.top());
    requested_[requested_count_++] = d;
  }
  void drop(Port d) {
    held_.erase(d);
    released_[released_count_++] = d;
  }
  // At most the members of one restored set become stale with one send. Send numbers wrap; counters stay
  // below the wrap.
  void drop_stale() {
    while (released_count_ < kMost && !held_.empty()) {
      const Port d = held_.oldest();
      if (static_cast<std::uint16_t>(sends_ - used_at_[d]) < threshold_) return;
      drop(d);
    }
  }

  WorkingSets tracker_;
  NamedPhases named_;
  RecencyList held_;
  ZeroedArray<std::uint16_t>
      used_at_;  // number of the send of the last use or request; without a capacity only
  std::uint32_t capacity_;
  std::uint32_t threshold_;
  bool is_limited_;
  std::uint16_t sends_ = 0;
  std::array<Port, kMost> requested_{}, released_{};
  std::size_t requested_count_ = 0, released_count_ = 0;
};

const PredictorRegistration kWorkingSet{
    "working-set",
    "restores the working set of a recurring phase with its first message (D 5.2.3)",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
      return std::make_unique<WorkingSetPredictor>(shape);
    },
    {.options = {"predictor-threshold"}}};

}  // namespace

}  // namespace hybrid
