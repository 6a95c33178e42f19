// Queue of events, ordered by time, then by kind (the phase of an instant), then by the order of scheduling.
// The order makes runs deterministic, and within an instant causes come before their effects
// (docs/timing.md, "One instant").
//
//   EventQueue events(word_time);
//   events.push(at, kDelivered, transfer);
//   const SwitchEvent event = events.pop();  // event.at, event.kind(), event.a, event.b
//
// Implementation: a timing wheel. In a loaded switch hundreds of events wait, nearly all of them within a few
// scheduler cycles. Time is divided into buckets of a fraction of a word time. An event waits, unsorted, in
// its bucket of the wheel; a bucket is sorted when it is opened. Events of one instant, which are many if
// they are on one clock, are sorted by kind with hardly any comparison. Events for a bucket that was opened
// already are in a heap, and events beyond the wheel in another one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/time.h"

namespace hybrid {

struct SwitchEvent {
  Time at{};
  std::uint64_t order = 0;  // kind in the upper bits, sequence number below; set by the queue
  std::uint32_t a = 0, b = 0;

  std::uint32_t kind() const { return static_cast<std::uint32_t>(order >> kSequenceBits); }
  static constexpr int kSequenceBits = 56;
};

class EventQueue {
 public:
  /// `grain`: approximate time between two instants with events. It affects the speed only.
  explicit EventQueue(Time grain = nanoseconds(8))
      : shift_(static_cast<int>(
            std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(grain.ps >> kFiner, 1))) - 1)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Time next() const { return next_; }
  /// The event that pop() returns next. Requires: the queue is not empty.
  const SwitchEvent& top() {
    if (due_.empty() && late_.empty()) open_next_bucket();
    return late_first() ? late_.front() : due_.back();
  }

  /// Adds an event. Smaller kinds come first within an instant. Requires: kind < 256.
  void push(Time at, std::uint32_t kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    put(at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | sequence_++, a, b);
  }
  /// As push(), but events of the same kind and instant are ordered by (a, b) instead of the order of
  /// scheduling. All events of a kind must be added by the same function.
  void push_sorted(Time at, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
    put(at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | std::uint64_t{a} << 28 | b, a, b);
  }
  /// As push_sorted(), but ordered by `order` (< 2^56) instead of (a, b).
  void push_ordered(Time at, std::uint32_t kind, std::uint64_t order, std::uint32_t a, std::uint32_t b = 0) {
    put(at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | order, a, b);
  }
  /// Copies all events into `events`, unsorted.
  void copy_to(std::vector<SwitchEvent>& events) const {
    events = due_;
    events.insert(events.end(), late_.begin(), late_.end());
    events.insert(events.end(), far_.begin(), far_.end());
    for (const Bucket& bucket : wheel_)
      if (bucket.first != kNone) for_each(bucket, [&](const SwitchEvent& event) { events.push_back(event); });
  }
  /// Postpones the events for which `which(event)` is true by `by` (>= 0).
  template <class Which>
  void postpone(Time by, Which&& which) {
    std::vector<SwitchEvent> events;
    copy_to(events);
    due_.clear();
    late_.clear();
    far_.clear();
    wheel_.fill({});
    occupied_.fill(0);
    blocks_.clear();
    unused_ = kNone;
    size_ = 0;
    next_ = Time::never();
    coming_ = kNever;
    for (SwitchEvent& event : events)
      if (which(event)) event.at += by;
    std::sort(events.begin(), events.end(), [](const auto& x, const auto& y) { return Later{}(y, x); });
    for (const SwitchEvent& event : events) put(event.at, event.order, event.a, event.b);
  }
  /// Removes and returns the first event. Requires: the queue is not empty.
  SwitchEvent pop() {
    if (due_.empty() && late_.empty()) open_next_bucket();
    SwitchEvent event;
    if (late_.empty() || !late_first()) {
      event = due_.back();
      due_.pop_back();
    } else {
      event = late_.front();
      std::pop_heap(late_.begin(), late_.end(), Later{});
      late_.pop_back();
    }
    --size_;
    if (due_.empty() && late_.empty())
      find_next();
    else
      next_ = late_first() ? late_.front().at : due_.back().at;
    return event;
  }

 private:
  static constexpr int kFiner = 3;  // buckets in a grain, as a power of two
  static constexpr std::int64_t kBuckets = 2048;
  static constexpr std::uint32_t kBlock = 8;  // events
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint32_t kFewest = 6;  // fewest events of one instant to sort by kind
  static constexpr std::uint32_t kMany = 64;   // most events of a bucket to sort without dividing it
  static constexpr int kMostParts = 8;         // of a bucket, as a power of two

  __extension__ using Key = unsigned __int128;
  static Key key(const SwitchEvent& event) {
    return Key{static_cast<std::uint64_t>(event.at.ps)} << 64 | event.order;
  }
  /// A type instead of a function, so that sorts and heaps inline it.
  struct Later {
    bool operator()(const SwitchEvent& x, const SwitchEvent& y) const {
      // Without a branch: its outcome cannot be predicted when thousands of events are sorted.
      return key(x) > key(y);
    }
  };
  bool late_first() const { return due_.empty() || (!late_.empty() && Later{}(due_.back(), late_.front())); }
  std::int64_t bucket_of(Time at) const { return at.ps >> shift_; }
  static std::size_t place(std::int64_t bucket) { return static_cast<std::size_t>(bucket & (kBuckets - 1)); }

  /// Block of events of one bucket. All blocks of a bucket but the first are full. The blocks of a bucket
  /// that was opened are reused first, so that few blocks are in use and stay in the cache.
  struct Block {
    std::array<SwitchEvent, kBlock> events;
    std::uint32_t next;  // number of a block
  };
  struct Bucket {
    std::uint32_t first = kNone;
    std::uint32_t count = 0;  // events
    bool mixed = false;       // the events are of more than one instant
    Time earliest{};
  };

  void put(Time at, std::uint64_t order, std::uint32_t a, std::uint32_t b) {
    const std::int64_t bucket = bucket_of(at);
    next_ = std::min(next_, at);
    ++size_;
    if (static_cast<std::uint64_t>(bucket - turn_ - 1) >= kBuckets - 1)
      return put_outside_wheel({at, order, a, b});
    coming_ = std::min(coming_, bucket);
    Bucket& events = wheel_[place(bucket)];
    const std::uint32_t in_block = events.count++ % kBlock;
    if (in_block == 0) new_block(events, place(bucket), at);
    events.mixed |= at != events.earliest;
    events.earliest = std::min(events.earliest, at);
    blocks_[events.first].events[in_block] = {at, order, a, b};
  }
  [[gnu::noinline]] void put_outside_wheel(const SwitchEvent& event) {
    const std::int64_t bucket = bucket_of(event.at);
    if (size_ == 1) turn_ = bucket;
    if (bucket <= turn_) {
      late_.push_back(event);
      std::push_heap(late_.begin(), late_.end(), Later{});
      return;
    }
    coming_ = std::min(coming_, bucket);
    far_.push_back(event);
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
  void new_block(Bucket& bucket, std::size_t place, Time at) {
    if (bucket.first == kNone) {
      bucket.earliest = at;
      occupied_[place / 64] |= std::uint64_t{1} << place % 64;
    }
    if (unused_ == kNone) more_blocks();
    const std::uint32_t block = std::exchange(unused_, blocks_[unused_].next);
    blocks_[block].next = std::exchange(bucket.first, block);
  }
  [[gnu::noinline]] void more_blocks() {
    const std::size_t before = std::max<std::size_t>(blocks_.size(), 1);
    blocks_.resize(std::max<std::size_t>(16, 2 * before));
    for (std::size_t block = blocks_.size(); block-- > before;)
      blocks_[block].next = std::exchange(unused_, static_cast<std::uint32_t>(block));
  }
  /// Calls `use` for each event of `bucket`, the newest first. Returns the last block.
  template <class Use>
  std::uint32_t for_each(const Bucket& bucket, Use&& use) const {
    std::uint32_t last = kNone;
    std::uint32_t count = (bucket.count - 1) % kBlock + 1;
    for (std::uint32_t block = bucket.first; block != kNone; block = blocks_[block].next) {
      while (count != 0) use(blocks_[block].events[--count]);
      count = kBlock;
      last = block;
    }
    return last;
  }

  /// The first bucket of the wheel after turn_ that is not empty; turn_ + kBuckets: none.
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

  /// Finds the next event after all due events were popped.
  void find_next() {
    next_ = Time::never();
    coming_ = kNever;
    if (size_ == 0) return;
    const std::int64_t in_wheel = next_in_wheel();
    if (in_wheel != turn_ + kBuckets) {
      coming_ = in_wheel;
      next_ = wheel_[place(in_wheel)].earliest;
    }
    if (far_.empty()) return;
    coming_ = std::min(coming_, bucket_of(far_.front().at));
    next_ = std::min(next_, far_.front().at);
  }

  /// Opens the next bucket that is not empty. Called only when its first event is needed, since events are
  /// still added to it before.
  void open_next_bucket() {
    const bool in_wheel = coming_ - turn_ < kBuckets;
    turn_ = coming_;
    if (Bucket& bucket = wheel_[place(turn_)]; in_wheel && bucket.count != 0) {
      const std::uint32_t last =
          !bucket.mixed && bucket.count >= kFewest ? sort_by_kind(bucket) : sort_bucket(bucket);
      blocks_[last].next = std::exchange(unused_, bucket.first);
      bucket = {};
      occupied_[place(turn_) / 64] &= ~(std::uint64_t{1} << place(turn_) % 64);
    }
    if (!far_.empty() && bucket_of(far_.front().at) == turn_) take_far_events();
  }
  [[gnu::noinline]] void take_far_events() {
    while (!far_.empty() && bucket_of(far_.front().at) == turn_) {
      due_.push_back(far_.front());
      std::pop_heap(far_.begin(), far_.end(), Later{});
      far_.pop_back();
    }
    std::sort(due_.begin(), due_.end(), Later{});
  }
  /// Sorts the events of a bucket into due_. Returns its last block.
  std::uint32_t sort_bucket(const Bucket& bucket) {
    if (bucket.count == 1) {
      due_.push_back(blocks_[bucket.first].events[0]);
      return bucket.first;
    }
    if (bucket.count > kMany) return sort_large_bucket(bucket);
    due_.resize(bucket.count);
    auto to = due_.begin();
    const std::uint32_t last = for_each(bucket, [&](const SwitchEvent& event) { *to++ = event; });
    std::sort(due_.begin(), due_.end(), Later{});
    return last;
  }
  /// As sort_bucket(), for many events of several instants: divides them by time into parts before sorting,
  /// which keeps the cost linear.
  std::uint32_t sort_large_bucket(const Bucket& bucket) {
    const int bits = std::min({static_cast<int>(std::bit_width(bucket.count)) - 3, kMostParts, shift_});
    const std::size_t parts = std::size_t{1} << bits;
    const auto part = [&](const SwitchEvent& event) {  // latest first, as in due_
      return ~static_cast<std::size_t>(event.at.ps >> (shift_ - bits)) & (parts - 1);
    };
    std::array<std::uint32_t, std::size_t{1} << kMostParts> ends{};
    for_each(bucket, [&](const SwitchEvent& event) { ++ends[part(event)]; });
    std::uint32_t begin = 0;
    for (std::size_t p = 0; p < parts; ++p) begin += std::exchange(ends[p], begin);
    due_.resize(bucket.count);
    const std::uint32_t last =
        for_each(bucket, [&](const SwitchEvent& event) { due_[ends[part(event)]++] = event; });
    begin = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      sort_part(begin, ends[p]);
      begin = ends[p];
    }
    return last;
  }
  /// Sorts a part of due_. With one clock most events of a full bucket are of one instant.
  void sort_part(std::size_t begin, std::size_t end) {
    const std::span<SwitchEvent> part(due_.data() + begin, end - begin);
    const auto at_first = [&](const SwitchEvent& event) { return event.at == part.front().at; };
    if (part.size() < kFewest || !std::all_of(part.begin(), part.end(), at_first))
      return std::sort(part.begin(), part.end(), Later{});
    crowd_.assign(part.begin(), part.end());
    sort_by_kind(part.data(), [this](auto&& use) {
      for (const SwitchEvent& event : crowd_) use(event);
    });
  }
  /// As sort_bucket(), for several events of one instant.
  std::uint32_t sort_by_kind(const Bucket& bucket) {
    std::uint32_t last = kNone;
    due_.resize(bucket.count);
    sort_by_kind(due_.data(), [&](auto&& use) { last = for_each(bucket, use); });
    return last;
  }
  /// Sorts the events that `events` yields to `to`. They are of one instant and nearly in the order of due_.
  template <class Events>
  void sort_by_kind(SwitchEvent* to, Events&& events) {
    std::array<std::uint64_t, 4> kinds{};
    events([&](const SwitchEvent& event) {
      ++of_kind_[event.kind()];
      kinds[event.kind() / 64] |= std::uint64_t{1} << event.kind() % 64;
    });
    const auto for_each_kind = [&](auto&& use) {  // largest first, as in due_
      for (std::size_t w = kinds.size(); w-- > 0;)
        for (std::uint64_t bits = kinds[w]; bits != 0;) {
          const int bit = std::bit_width(bits) - 1;
          bits ^= std::uint64_t{1} << bit;
          use(of_kind_[w * 64 + static_cast<std::size_t>(bit)]);
        }
    };
    std::uint32_t begin = 0;
    for_each_kind([&](std::uint32_t& of_kind) { begin += std::exchange(of_kind, begin); });
    events([&](const SwitchEvent& event) { to[of_kind_[event.kind()]++] = event; });
    begin = 0;
    for_each_kind([&](std::uint32_t& of_kind) {
      SwitchEvent* const from = to + begin;
      SwitchEvent* const end = to + of_kind;
      if (!std::is_sorted(from, end, Later{})) std::sort(from, end, Later{});
      begin = std::exchange(of_kind, 0);
    });
  }

  int shift_;
  std::int64_t turn_ = 0;         // the bucket opened last
  std::int64_t coming_ = kNever;  // the next bucket that is not empty, if those up to turn_ are
  // Events of buckets up to turn_.
  std::vector<SwitchEvent> due_;          // sorted, latest first
  std::vector<SwitchEvent> late_;         // heap of events added after their bucket was opened
  std::vector<SwitchEvent> crowd_;        // copy of events while they are sorted by kind
  std::array<Bucket, kBuckets> wheel_{};  // the buckets after turn_
  std::array<std::uint64_t, kBuckets / 64> occupied_{};
  std::vector<Block> blocks_;
  std::uint32_t unused_ = kNone;  // block
  std::vector<SwitchEvent> far_;  // heap of events beyond the wheel
  std::size_t size_ = 0;
  Time next_ = Time::never();
  std::uint64_t sequence_ = 0;
  std::array<std::uint32_t, 256> of_kind_{};  // counts, then places, while events are sorted by kind
};

}  // namespace hybrid
