#include "emulator/network/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "core/testing/random_cases.h"

namespace hybrid {
namespace {

/// The queue's contract, implemented with a map.
class PlainQueue {
 public:
  void push(Time at, std::uint32_t kind, std::uint32_t a) { events_[{at, kind, sequence_++}] = a; }
  void postpone_odd(Time by) {
    std::map<Key, std::uint32_t> later;
    for (const auto& [key, a] : events_) {
      const auto [at, kind, sequence] = key;
      later[{a % 2 == 1 ? at + by : at, kind, sequence}] = a;
    }
    events_ = later;
  }
  bool empty() const { return events_.empty(); }
  Time next() const { return std::get<0>(events_.begin()->first); }
  std::uint32_t pop() {
    const std::uint32_t a = events_.begin()->second;
    events_.erase(events_.begin());
    return a;
  }

 private:
  using Key = std::tuple<Time, std::uint32_t, std::uint64_t>;
  std::map<Key, std::uint32_t> events_;
  std::uint64_t sequence_ = 0;
};

TEST(EventQueue, ReturnsEventsByTimeKindAndOrderOfPushing) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    Random random(seed);
    // Instants within a bucket, within the wheel, and far beyond it.
    const Time grain = picoseconds(static_cast<std::int64_t>(1 + random.below(3000)));
    EventQueue queue(grain);
    PlainQueue plain;
    Time now{};
    std::uint32_t a = 0;
    for (int step = 0; step < 2000; ++step) {
      if (random.below(2) == 0 || plain.empty()) {
        static constexpr std::uint64_t kFar[] = {1, 3, 1000, 500'000, 100'000'000};
        const Time at = now + picoseconds(static_cast<std::int64_t>(random.below(kFar[random.below(5)])));
        const auto kind = static_cast<std::uint32_t>(random.below(3));
        queue.push(at, kind, a);
        plain.push(at, kind, a++);
      } else if (random.below(100) == 0) {
        const Time by = picoseconds(static_cast<std::int64_t>(random.below(10'000)));
        queue.postpone(by, [](const SwitchEvent& event) { return event.a % 2 == 1; });
        plain.postpone_odd(by);
      } else {
        now = plain.next();
        ASSERT_EQ(queue.next(), now) << "seed " << seed;
        ASSERT_EQ(queue.top().at, now);
        ASSERT_EQ(queue.pop().a, plain.pop()) << "seed " << seed;
      }
      std::vector<SwitchEvent> all;
      queue.copy_to(all);
      ASSERT_EQ(all.size(), queue.size());
      ASSERT_EQ(queue.empty(), plain.empty());
    }
    for (; !plain.empty(); now = queue.next()) ASSERT_EQ(queue.pop().a, plain.pop()) << "seed " << seed;
    EXPECT_EQ(queue.next(), Time::never());
  }
}

TEST(EventQueue, SortsManyEventsOfSeveralInstants) {
  for (std::uint64_t seed = 0; seed < random_cases(60); ++seed) {
    Random random(seed);
    // All in one bucket or in a few; at many instants or mostly at one.
    const Time grain = nanoseconds(static_cast<std::int64_t>(1 + random.below(100)));
    const std::uint64_t width = 1 + random.below(2 * static_cast<std::uint64_t>(grain.ps));
    const bool mostly_one = random.below(2) == 0;
    EventQueue queue(grain);
    PlainQueue plain;
    const std::uint64_t count = 1 + random.below(3000);
    for (std::uint32_t a = 0; a < count; ++a) {
      const bool first = mostly_one && random.below(8) != 0;
      const Time at =
          nanoseconds(1000) + picoseconds(static_cast<std::int64_t>(first ? width / 2 : random.below(width)));
      const auto kind = static_cast<std::uint32_t>(random.below(5) * 60);
      queue.push(at, kind, a);
      plain.push(at, kind, a);
    }
    while (!plain.empty()) {
      ASSERT_EQ(queue.next(), plain.next()) << "seed " << seed;
      ASSERT_EQ(queue.pop().a, plain.pop()) << "seed " << seed;
    }
    EXPECT_TRUE(queue.empty());
  }
}

TEST(EventQueue, OrdersSortedEventsOfAnInstantByTheirNumbers) {
  EventQueue queue;
  queue.push_sorted(nanoseconds(5), 1, 2, 0);
  queue.push_sorted(nanoseconds(5), 1, 1, 9);
  queue.push_sorted(nanoseconds(5), 1, 1, 3);
  queue.push_sorted(nanoseconds(5), 0, 7, 7);
  EXPECT_EQ(queue.pop().a, 7U);
  EXPECT_EQ(queue.pop().b, 3U);
  EXPECT_EQ(queue.pop().b, 9U);
  EXPECT_EQ(queue.pop().a, 2U);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, SortsManyEventsOfOneInstant) {
  for (std::uint64_t seed = 0; seed < random_cases(100); ++seed) {
    Random random(seed);
    EventQueue queue;
    std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>> expected;  // kind, order, a
    const std::uint64_t count = 1 + random.below(200);
    for (std::uint32_t i = 0; i < count; ++i) {
      static constexpr std::uint32_t kKinds[] = {0, 7, 63, 64, 200, 255};
      const std::uint32_t kind = kKinds[random.below(6)];
      const bool sorted = kind % 2 == 0;
      const auto a = static_cast<std::uint32_t>(sorted ? random.below(1000) * 256 + i : i);
      if (sorted)
        queue.push_sorted(nanoseconds(24), kind, a, 0);
      else
        queue.push(nanoseconds(24), kind, a);
      expected.emplace_back(kind, sorted ? a : i, a);
    }
    std::sort(expected.begin(), expected.end());
    for (const auto& [kind, order, a] : expected) {
      const SwitchEvent event = queue.pop();
      ASSERT_EQ(event.at, nanoseconds(24));
      ASSERT_EQ(event.kind(), kind) << "seed " << seed;
      ASSERT_EQ(event.a, a) << "seed " << seed;
    }
    EXPECT_TRUE(queue.empty());
  }
}

}  // namespace
}  // namespace hybrid
