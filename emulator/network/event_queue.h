// What happens next: a heap of small events, ordered by time, then by the phase of an instant, then by the
// order of scheduling. So runs are deterministic, and within an instant causes come before what looks at them
// (docs/timing.md, "One instant").
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace hybrid {

struct SwitchEvent {
  Time at{};
  std::uint64_t order = 0;  // phase and kind above, sequence below; set by the queue
  std::uint32_t a = 0, b = 0;

  std::uint32_t kind() const { return static_cast<std::uint32_t>(order >> kSequenceBits); }
  static constexpr int kSequenceBits = 56;
};

class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  Time next() const { return heap_.empty() ? Time::never() : heap_.front().at; }
  const SwitchEvent& top() const { return heap_.front(); }

  /// `kind` (< 256) is the phase too: smaller ones come first.
  void push(Time at, std::uint32_t kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    heap_.push_back({at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | sequence_++, a, b});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  /// As push, but among events of the same kind and instant the order is that of (a, b): for kinds whose
  /// order matters and should not depend on who was scheduled first. All events of the kind must come by it.
  void push_sorted(Time at, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
    heap_.push_back(
        {at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | std::uint64_t{a} << 28 | b, a, b});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  /// All events, in no order.
  const std::vector<SwitchEvent>& all() const { return heap_; }
  /// Puts off the events for which `which(event)` holds, by `by` (>= 0).
  template <class Which>
  void put_off(Time by, Which&& which) {
    for (SwitchEvent& event : heap_)
      if (which(event)) event.at += by;
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  SwitchEvent pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const SwitchEvent event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  static bool later(const SwitchEvent& x, const SwitchEvent& y) {
    return x.at != y.at ? x.at > y.at : x.order > y.order;
  }
  std::vector<SwitchEvent> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace hybrid
