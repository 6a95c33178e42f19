// Predictor `working-set`: as lru, but restores the working set of a phase that recurs. The whole set is
// requested with the first message of the phase, so that only this message waits (the second-level working
// set of D 5.2.3, without a compiler). If the phase is named (predictor/named_phases.h), the set is requested
// at its begin, and no message waits.
//
// With capacity c the first c members in the order of use are requested. Without a limit, a destination that
// was neither used nor requested within the last `threshold` sends is released.
//
// Weak on: phases that begin with a different destination every time, and sets that never recur.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/zeroed_array.h"
#include "predictor/named_phases.h"
#include "predictor/predictor.h"
#include "predictor/recency_list.h"
#include "predictor/working_sets.h"

namespace hybrid {
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
    "working-set", "restores the working set of a recurring phase with its first message (D 5.2.3)",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
      return std::make_unique<WorkingSetPredictor>(shape);
    }};

}  // namespace
}  // namespace hybrid
