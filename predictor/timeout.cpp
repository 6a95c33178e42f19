// Predictor `timeout`: the time-out predictor (D 5.2.2): "a connection is removed if it is not used for a
// certain period of time".
//
// A send to a destination that is not held requests it. A destination without use for `timeout` is released
// exactly at its last use + timeout. If there is no free place, the least recently used destination is
// dropped.
//
// A send is a use. If the caller reports it (take_back), the use lasts until the last word of the message has
// left: a connection with a message longer than the time-out stays in use.
//
// With a `pause`, the time-out counts only during communication, as in D 5.2.2: a connection is "not evicted
// if the application is in a computation phase, where no communication takes place". Of an interval without
// sends of the port, at most `pause` counts. A pause that is longer than the gaps between sends of a phase,
// and shorter than the time-out, keeps the working set during any computation.
//
// The list is in the order of last use, so that the oldest member has the next deadline.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/connection.h"
#include "core/error.h"
#include "core/time.h"
#include "core/zeroed_array.h"
#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

// LastUses: the held destinations with the times of their last use, in that order.
//
// Up to kFew destinations are stored in the object itself; more are stored in tables over all destinations.
// In a large emulated switch most ports never need the tables, which take several pages of memory each.
class LastUses {
 public:
  explicit LastUses(std::uint32_t destinations) : order_(destinations), used_at_(destinations) {}

  bool empty() const { return size() == 0; }
  std::uint32_t size() const { return many_ ? order_.size() : few_count_; }
  bool contains(Port d) const {
    return many_ ? order_.contains(d)
                 : std::any_of(few_.begin(), few_.begin() + few_count_,
                               [d](const Use& use) { return use.destination == d; });
  }
  // The destination with the earliest last use. Requires: not empty.
  Port oldest() const { return many_ ? order_.oldest() : few_[0].destination; }
  Time oldest_use() const { return many_ ? used_at_[order_.oldest()] : few_[0].at; }

  // Sets the last use of `d` to `at`. Returns false if `d` is not held. Requires: no use is later than `at`.
  bool renew(Port d, Time at) {
    if (!many_) {
      for (std::uint32_t i = few_count_; i-- > 0;) {
        if (few_[i].destination != d) continue;
        for (; i + 1 < few_count_; ++i) few_[i] = few_[i + 1];
        few_[i] = {d, at};
        return true;
      }
      return false;
    }
    if (!order_.contains(d)) return false;
    order_.renew(d, order_.top());
    used_at_[d] = at;
    return true;
  }
  // Adds `d`, which is not held, with its last use at `at`. Requires: no use is later than `at`.
  void insert(Port d, Time at) {
    if (!many_ && few_count_ < kFew) {
      few_[few_count_++] = {d, at};
      return;
    }
    if (!many_) {
      for (const Use& use : few_) insert_into_tables(use);
      many_ = true;
    }
    insert_into_tables({d, at});
  }
  // The same without a condition on `at`. O(number of later uses).
  void insert_in_order(Port d, Time at) {
    insert(d, at);
    if (many_) {
      Port above = order_.top();
      for (Port next = order_.older(d); next != order_.top() && used_at_[next] > at;
           next = order_.older(next))
        above = next;
      if (above != order_.top()) order_.renew(d, above);
      return;
    }
    for (std::uint32_t i = few_count_ - 1; i > 0 && few_[i - 1].at > at; --i) std::swap(few_[i - 1], few_[i]);
  }
  void erase_oldest() {
    if (many_) return order_.erase(order_.oldest());
    --few_count_;
    for (std::uint32_t i = 0; i < few_count_; ++i) few_[i] = few_[i + 1];
  }
  void clear() {
    order_.clear();
    few_count_ = 0;
    many_ = false;
  }
  // Memory outside the object itself.
  std::size_t heap_bytes() const { return order_.heap_bytes() + used_at_.size() * sizeof(Time); }

 private:
  static constexpr std::uint32_t kFew = 8;
  struct Use {
    Port destination = kNoPort;
    Time at{};
  };

  void insert_into_tables(const Use& use) {
    order_.insert(use.destination, order_.top());
    used_at_[use.destination] = use.at;
  }

  bool many_ = false;  // the destinations are in the tables
  std::uint32_t few_count_ = 0;
  std::array<Use, kFew> few_{};  // oldest first
  RecencyList order_;
  ZeroedArray<Time> used_at_;
};

class Timeout final : public Predictor {
 public:
  explicit Timeout(const PredictorShape& shape)
      : held_(shape.destinations),
        timeout_(shape.timeout),
        pause_(shape.pause == Time{} ? Time::never() : shape.pause),
        capacity_(most_held(shape)) {
    if (timeout_ <= Time{})
      throw UserError("predictor timeout: a time-out of " + to_string(timeout_) + " is not possible",
                      "Give a time above 0, for example 100us.");
    if (pause_ < Time{})
      throw UserError("predictor timeout: a pause of " + to_string(pause_) + " is not possible",
                      "Give a time above 0, or 0 for none.");
  }

  /// Also releases overdue destinations, so that a caller without timers need not call on_time() between
  /// sends.
  Decisions on_send(Time now, Port destination, Bytes, std::uint64_t) override {
    released_count_ = 0;
    counted_ = counted(now);
    last_send_ = now;
    const bool held = held_.renew(destination, counted_);
    release_overdue(now);
    if (held) return {released(), {}};
    if (held_.size() == capacity_) release_oldest();
    held_.insert(destination, counted_);
    requested_ = destination;
    return {released(), {&requested_, 1}};
  }

  Time next_deadline() const override { return held_.empty() ? Time::never() : deadline(); }

  Decisions on_time(Time now) override {
    released_count_ = 0;
    release_overdue(now);
    return {released(), {}};
  }

  bool would_take_back(Time now, Port destination, Time used) const override {
    return held_.contains(destination) ||
           (held_.size() < capacity_ && counted(now) - counted_use(used) < timeout_);
  }

  bool take_back(Time now, Port destination, Time used) override {
    if (!would_take_back(now, destination, used)) return false;
    if (!held_.contains(destination)) held_.insert_in_order(destination, counted_use(used));
    return true;
  }

  void on_flush() override { held_.clear(); }
  bool holds(Port destination) const override { return held_.contains(destination); }
  std::size_t state_bytes() const override { return sizeof(*this) + held_.heap_bytes(); }

 private:
  // Limit on releases by time-out in one call. next_deadline() requests a further call for the rest.
  static constexpr std::size_t kPortion = 32;

  // The counted time until `now`.
  Time counted(Time now) const { return counted_ + std::min(now - last_send_, pause_); }
  // The counted time until the use of a message. If it is before the last send, all of the time in between is
  // taken as counted, because uncounted intervals are not stored.
  Time counted_use(Time used) const { return counted_ + std::min(used - last_send_, pause_); }
  // The deadline of the oldest destination; never if a pause begins before it.
  Time deadline() const {
    const Time used = held_.oldest_use();
    if (used > Time::never() - timeout_) return Time::never();
    const Time left = used + timeout_ - counted_;
    return left > pause_ ? Time::never() : last_send_ + left;
  }
  void release_oldest() {
    released_[released_count_++] = held_.oldest();
    held_.erase_oldest();
  }
  void release_overdue(Time now) {
    while (released_count_ < kPortion && !held_.empty() && deadline() <= now) release_oldest();
  }
  std::span<const Port> released() const { return {released_.data(), released_count_}; }

  LastUses held_;  // in counted time
  Time timeout_, pause_;
  Time counted_{}, last_send_{};  // counted time until the last send, and its time
  std::uint32_t capacity_;
  Port requested_ = kNoPort;
  std::size_t released_count_ = 0;
  std::array<Port, kPortion + 1> released_{};  // one more for the place of a request
};

const PredictorRegistration kTimeout{"timeout",
                                     "holds a destination until it is unused for the time-out (D 5.2.2)",
                                     [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                       return std::make_unique<Timeout>(shape);
                                     },
                                     {.options = {"predictor-timeout", "predictor-pause"}}};

}  // namespace
}  // namespace hybrid
