// What happens next: small events, ordered by time, then by the phase of an instant, then by the order of
// scheduling. So runs are deterministic, and within an instant causes come before what looks at them
// (docs/timing.md, "One instant").
//
// In a loaded switch hundreds of events wait, nearly all of them within a few scheduler cycles. So time is
// cut into buckets of about a word time; an event waits, in no order, in the bucket of a wheel, and the
// events of a bucket are sorted when it has its turn. What comes for that bucket later stands in a heap, and
// what lies beyond the wheel in another.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
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
  /// `grain`: about the time between one instant and the next; changes nothing but the speed.
  explicit EventQueue(Time grain = nanoseconds(8))
      : shift_(static_cast<int>(
            std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(grain.ps >> kFiner, 1))) - 1)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Time next() const { return next_; }
  const SwitchEvent& top() const { return late_first() ? late_.front() : due_.back(); }

  /// `kind` (< 256) is the phase too: smaller ones come first.
  void push(Time at, std::uint32_t kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    put({at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | sequence_++, a, b});
  }
  /// As push, but among events of the same kind and instant the order is that of (a, b): for kinds whose
  /// order matters and should not depend on who was scheduled first. All events of the kind must come by it.
  void push_sorted(Time at, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
    put({at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | std::uint64_t{a} << 28 | b, a, b});
  }
  /// All events, in no order.
  void copy_to(std::vector<SwitchEvent>& events) const {
    events = due_;
    events.insert(events.end(), late_.begin(), late_.end());
    events.insert(events.end(), far_.begin(), far_.end());
    for (const Bucket& bucket : wheel_) append(bucket, events);
  }
  /// Puts off the events for which `which(event)` holds, by `by` (>= 0).
  template <class Which>
  void put_off(Time by, Which&& which) {
    std::vector<SwitchEvent> events;
    copy_to(events);
    due_.clear();
    late_.clear();
    far_.clear();
    for (Bucket& bucket : wheel_) give_back(bucket);
    occupied_.fill(0);
    size_ = 0;
    next_ = Time::never();
    for (SwitchEvent& event : events)
      if (which(event)) event.at += by;
    std::sort(events.begin(), events.end(), [](const auto& x, const auto& y) { return Later{}(y, x); });
    for (const SwitchEvent& event : events) put(event);
  }
  SwitchEvent pop() {
    SwitchEvent event;
    if (late_.empty()) {  // nearly always
      event = due_.back();
      due_.pop_back();
      if (!due_.empty()) {
        --size_;
        next_ = due_.back().at;
        return event;
      }
    } else if (late_first()) {
      event = late_.front();
      std::pop_heap(late_.begin(), late_.end(), Later{});
      late_.pop_back();
    } else {
      event = due_.back();
      due_.pop_back();
    }
    if (--size_ == 0) {
      next_ = Time::never();
    } else {
      if (due_.empty() && late_.empty()) next_bucket();
      next_ = top().at;
    }
    return event;
  }

 private:
  static constexpr int kFiner = 2;  // buckets in a grain, as a power of two
  static constexpr std::int64_t kBuckets = 1024;
  static constexpr std::size_t kBlock = 32;  // events
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

  __extension__ using Key = unsigned __int128;
  static Key key(const SwitchEvent& event) {
    return Key{static_cast<std::uint64_t>(event.at.ps)} << 64 | event.order;
  }
  /// A type, not a function, so that sorts and heaps have it inlined.
  struct Later {
    bool operator()(const SwitchEvent& x, const SwitchEvent& y) const {
      // Without a branch: which instant is the later one is unpredictable where thousands of events are
      // sorted.
      return key(x) > key(y);
    }
  };
  bool late_first() const { return due_.empty() || (!late_.empty() && Later{}(due_.back(), late_.front())); }
  std::int64_t bucket_of(const SwitchEvent& event) const { return event.at.ps >> shift_; }
  static std::size_t place(std::int64_t bucket) { return static_cast<std::size_t>(bucket & (kBuckets - 1)); }

  void put(const SwitchEvent& event) {
    const std::int64_t bucket = bucket_of(event);
    next_ = std::min(next_, event.at);
    if (size_++ == 0) turn_ = bucket;
    if (bucket <= turn_) {
      late_.push_back(event);
      std::push_heap(late_.begin(), late_.end(), Later{});
    } else if (bucket - turn_ < kBuckets) {
      Bucket& events = wheel_[place(bucket)];
      if (events.size % kBlock == 0) take_block(events);
      blocks_[events.block * kBlock + events.size++ % kBlock] = event;
      occupied_[place(bucket) / 64] |= std::uint64_t{1} << place(bucket) % 64;
    } else {
      far_.push_back(event);
      std::push_heap(far_.begin(), far_.end(), Later{});
    }
  }

  /// Events of a bucket lie in blocks, each full but the last one. A block that a bucket had its turn with is
  /// the next to be taken, so that few are in use, and those in the cache, however many buckets there are.
  struct Bucket {
    std::uint32_t block = 0;  // the last one
    std::uint32_t size = 0;   // events
  };
  void take_block(Bucket& bucket) {
    std::uint32_t block = unused_;
    if (block == kNoBlock) {
      block = static_cast<std::uint32_t>(before_.size());
      before_.push_back(kNoBlock);
      blocks_.resize(blocks_.size() + kBlock);
    } else {
      unused_ = before_[block];
    }
    before_[block] = bucket.block;
    bucket.block = block;
  }
  void append(const Bucket& bucket, std::vector<SwitchEvent>& events) const {
    std::size_t left = bucket.size;
    for (std::uint32_t block = bucket.block; left != 0; block = before_[block]) {
      const std::size_t here = (left - 1) % kBlock + 1;
      const SwitchEvent* const first = &blocks_[block * kBlock];
      events.insert(events.end(), first, first + here);
      left -= here;
    }
  }
  void give_back(Bucket& bucket) {
    for (std::size_t left = bucket.size; left != 0; left -= (left - 1) % kBlock + 1) {
      const std::uint32_t block = bucket.block;
      bucket.block = before_[block];
      before_[block] = unused_;
      unused_ = block;
    }
    bucket.size = 0;
  }

  /// The first bucket of the wheel after turn_ that holds anything, or one beyond the wheel.
  std::int64_t next_in_wheel() const {
    const std::size_t from = place(turn_ + 1);
    for (std::size_t k = 0; k <= occupied_.size(); ++k) {
      const std::size_t w = (from / 64 + k) % occupied_.size();
      std::uint64_t bits = occupied_[w];
      if (k == 0) bits &= ~std::uint64_t{0} << from % 64;
      if (bits == 0) continue;
      const std::size_t found = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return turn_ + 1 + static_cast<std::int64_t>((found - from) % static_cast<std::size_t>(kBuckets));
    }
    return turn_ + kBuckets;
  }

  /// It is the turn of the next bucket that holds anything.
  void next_bucket() {
    const std::int64_t in_wheel = next_in_wheel();
    const bool far_first =
        !far_.empty() && (bucket_of(far_.front()) < in_wheel || in_wheel == turn_ + kBuckets);
    turn_ = far_first ? bucket_of(far_.front()) : in_wheel;
    if (!far_first) {
      append(wheel_[place(turn_)], due_);
      give_back(wheel_[place(turn_)]);
      occupied_[place(turn_) / 64] &= ~(std::uint64_t{1} << place(turn_) % 64);
    }
    while (!far_.empty() && bucket_of(far_.front()) <= turn_) {
      due_.push_back(far_.front());
      std::pop_heap(far_.begin(), far_.end(), Later{});
      far_.pop_back();
    }
    if (due_.size() > 1) std::sort(due_.begin(), due_.end(), Later{});
  }

  int shift_;
  std::int64_t turn_ = 0;
  // Events of buckets up to turn_; none only if there is none at all.
  std::vector<SwitchEvent> due_;          // the last one comes first
  std::vector<SwitchEvent> late_;         // heap
  std::array<Bucket, kBuckets> wheel_{};  // those of the buckets after that
  std::vector<SwitchEvent> blocks_;
  std::vector<std::uint32_t> before_;  // by block: the one before it in its bucket, or among those not in use
  std::uint32_t unused_ = kNoBlock;
  std::array<std::uint64_t, kBuckets / 64> occupied_{};
  std::vector<SwitchEvent> far_;  // heap
  std::size_t size_ = 0;
  Time next_ = Time::never();
  std::uint64_t sequence_ = 0;
};

}  // namespace hybrid
