// Working sets restored: as lru, but when a phase recurs (predictor/working_sets.h), all of its set is
// requested with the phase's first message, so that only that one has to wait (D 5.2.3's second-level working
// set, without a compiler). Of a phase that is named (predictor/named_phases.h) it is requested with its
// begin, and no message has to wait.
//
// With capacity c the first c members to be used are requested; there is no limit, what was neither used nor
// requested within the last `threshold` sends is released.
//
// What defeats it: phases that begin with another destination every time, and sets that never recur.
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
    // The phase that has a name and this destination goes on, whatever begins with it elsewhere.
    const auto recurring = tracker_.send(destination);
    if (!named_.foresees(destination)) restore(recurring, destination);
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

  // As much of `set` as there is room for beside `destination`, unless that is kNoPort.
  void restore(std::span<const std::uint16_t> set, Port destination) {
    std::size_t end = 0;
    for (std::size_t room = capacity_ - (destination == kNoPort ? 0 : 1); end < set.size() && room > 0; ++end)
      room -= set[end] == destination ? 0 : 1;
    // The last first, so that it is the first to go for want of a place; and first of all what is held, so
    // that none of it goes for another.
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
  // At most as many as a restored set has become stale together. Numbers of sends wrap; counters do not get
  // as far.
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
  ZeroedArray<std::uint16_t> used_at_;  // or requested: the number of that send; without a capacity
  std::uint32_t capacity_;
  std::uint32_t threshold_;
  bool is_limited_;
  std::uint16_t sends_ = 0;
  std::array<Port, kMost> requested_{}, released_{};
  std::size_t requested_count_ = 0, released_count_ = 0;
};

const PredictorRegistration kWorkingSet{
    "working-set", "restores the set of a phase that recurs with its first message (D 5.2.3)",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
      return std::make_unique<WorkingSetPredictor>(shape);
    }};

}  // namespace
}  // namespace hybrid
