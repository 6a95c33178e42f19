// What happens next: small events, ordered by time, then by the phase of an instant, then by the order of
// scheduling. So runs are deterministic, and within an instant causes come before what looks at them
// (docs/timing.md, "One instant").
//
// In a loaded switch hundreds of events wait, nearly all of them within a few scheduler cycles. So time is
// cut into buckets of a part of a word time; an event waits, in no order, in the bucket of a wheel, and the
// events of a bucket are sorted when it has its turn. Those of one instant, which on one clock are many, need
// hardly any comparison for that: they are dealt out by kind. What comes for a bucket that has had its turn
// stands in a heap, and what lies beyond the wheel in another.
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
  /// The event that pop() gives next.
  const SwitchEvent& top() {
    if (due_.empty() && late_.empty()) open_next_bucket();
    return late_first() ? late_.front() : due_.back();
  }

  /// `kind` (< 256) is the phase too: smaller ones come first.
  void push(Time at, std::uint32_t kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    put(at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | sequence_++, a, b);
  }
  /// As push, but among events of the same kind and instant the order is that of (a, b): for kinds whose
  /// order matters and should not depend on who was scheduled first. All events of the kind must come by it.
  void push_sorted(Time at, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
    put(at, std::uint64_t{kind} << SwitchEvent::kSequenceBits | std::uint64_t{a} << 28 | b, a, b);
  }
  /// All events, in no order.
  void copy_to(std::vector<SwitchEvent>& events) const {
    events = due_;
    events.insert(events.end(), late_.begin(), late_.end());
    events.insert(events.end(), far_.begin(), far_.end());
    for (const Bucket& bucket : wheel_)
      if (bucket.first != kNone) for_each(bucket, [&](const SwitchEvent& event) { events.push_back(event); });
  }
  /// Puts off the events for which `which(event)` holds, by `by` (>= 0).
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
  static constexpr std::uint32_t kFewest = 6;  // events that are worth dealing out by kind
  static constexpr std::uint32_t kMany = 64;   // that are worth spreading out
  static constexpr int kMostParts = 8;         // of a bucket, as a power of two

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
  std::int64_t bucket_of(Time at) const { return at.ps >> shift_; }
  static std::size_t place(std::int64_t bucket) { return static_cast<std::size_t>(bucket & (kBuckets - 1)); }

  /// Events of a bucket lie in blocks, each full but the first. Blocks that a bucket had its turn with are
  /// the next to be taken, so that few are in use, and those in the cache, however many buckets there are.
  struct Block {
    std::array<SwitchEvent, kBlock> events;
    std::uint32_t next;  // number of a block
  };
  struct Bucket {
    std::uint32_t first = kNone;
    std::uint32_t count = 0;  // events
    bool mixed = false;       // they are of more than one instant
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
  /// The last one first. Returns the last block.
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

  /// All that was due has been given out: what comes next?
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

  /// It is the turn of the next bucket that holds anything. Not before its events are asked for: until then
  /// more come for it.
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
  /// The same where they are so many, of several instants, that comparing them two by two would cost more the
  /// more they are: first each comes to its part of the bucket's time.
  std::uint32_t sort_large_bucket(const Bucket& bucket) {
    const int bits = std::min({static_cast<int>(std::bit_width(bucket.count)) - 3, kMostParts, shift_});
    const std::size_t parts = std::size_t{1} << bits;
    const auto part = [&](const SwitchEvent& event) {  // the last one first, as in due_
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
  /// Sorts a part of due_. On one clock most of a crowd's are of one instant.
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
  /// The same as sort_bucket() where they are of one instant, and several.
  std::uint32_t sort_by_kind(const Bucket& bucket) {
    std::uint32_t last = kNone;
    due_.resize(bucket.count);
    sort_by_kind(due_.data(), [&](auto&& use) { last = for_each(bucket, use); });
    return last;
  }
  /// Deals what `events` gives, which are of one instant and nearly in the order of due_, out to `to`.
  template <class Events>
  void sort_by_kind(SwitchEvent* to, Events&& events) {
    std::array<std::uint64_t, 4> kinds{};
    events([&](const SwitchEvent& event) {
      ++of_kind_[event.kind()];
      kinds[event.kind() / 64] |= std::uint64_t{1} << event.kind() % 64;
    });
    const auto for_each_kind = [&](auto&& use) {  // the last one first, as in due_
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
  std::int64_t turn_ = 0;         // the bucket that had its turn last
  std::int64_t coming_ = kNever;  // the next one that holds anything, while none of those up to turn_ does
  // Events of buckets up to turn_.
  std::vector<SwitchEvent> due_;          // the last one comes first
  std::vector<SwitchEvent> late_;         // heap
  std::vector<SwitchEvent> crowd_;        // while it is dealt out
  std::array<Bucket, kBuckets> wheel_{};  // those of the buckets after that
  std::array<std::uint64_t, kBuckets / 64> occupied_{};
  std::vector<Block> blocks_;
  std::uint32_t unused_ = kNone;  // block
  std::vector<SwitchEvent> far_;  // heap
  std::size_t size_ = 0;
  Time next_ = Time::never();
  std::uint64_t sequence_ = 0;
  std::array<std::uint32_t, 256> of_kind_{};  // while they are dealt out
};

}  // namespace hybrid
