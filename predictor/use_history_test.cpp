#include "predictor/use_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

struct Message {
  Time at;
  Connection connection;
  Bytes bytes;
};

// The length of the windows, and the windows, by their definition: the smallest power of two from 1024 ps
// on at which the job spans at most kWindows windows.
TEST(UseHistory, RecordsTheWindowsOfEachConnection) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    std::vector<Message> messages;
    const std::uint64_t span = 1 + random.below(std::uint64_t{1} << (1 + random.below(45)));
    const std::uint64_t start = random.below(4) == 0 ? random.below(std::uint64_t{1} << 55) : 0;
    for (std::uint64_t n = 1 + random.below(2000); n > 0; --n)
      messages.push_back({picoseconds(static_cast<std::int64_t>(start + random.below(span))),
                          {static_cast<Port>(random.below(6)), static_cast<Port>(random.below(6))},
                          random.below(100)});
    UseHistory history;
    for (const Message& m : messages) history.add(m.at, m.connection, m.bytes);
    const auto timeline = history.take();

    const auto [earliest, latest] = std::minmax_element(
        messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.at < b.at; });
    int shift = 10;
    while ((latest->at.ps >> shift) - (earliest->at.ps >> shift) >=
           static_cast<std::int64_t>(UseHistory::kWindows))
      ++shift;
    const auto window_of = [&](Time at) {
      return static_cast<std::size_t>((at.ps >> shift) - (earliest->at.ps >> shift));
    };
    ASSERT_EQ(timeline.windows.size(), window_of(latest->at) + 1);

    std::map<Connection, std::set<std::size_t>> used;
    std::map<Connection, std::uint64_t> count;
    std::vector<UseHistory::Window> windows(timeline.windows.size());
    for (const Message& m : messages) {
      used[m.connection].insert(window_of(m.at));
      ++count[m.connection];
      auto& w = windows[window_of(m.at)];
      w.first = std::min(w.first, m.at);
      w.last = std::max(w.last, m.at);
      ++w.messages;
      w.bytes += m.bytes;
    }
    ASSERT_EQ(timeline.uses.size(), used.size());
    auto expected = used.begin();  // ascending by connection, as the timeline
    for (const auto& use : timeline.uses) {
      ASSERT_EQ(use.connection, expected->first);
      std::set<std::size_t> found;
      for_each_port(use.windows, [&](std::size_t w) { found.insert(w); });
      ASSERT_EQ(found, expected->second);
      ASSERT_EQ(use.messages, count[use.connection]);
      ++expected;
    }
    for (std::size_t w = 0; w < windows.size(); ++w) {
      ASSERT_EQ(timeline.windows[w].messages, windows[w].messages);
      ASSERT_EQ(timeline.windows[w].bytes, windows[w].bytes);
      if (windows[w].messages == 0) continue;
      ASSERT_EQ(timeline.windows[w].first, windows[w].first);
      ASSERT_EQ(timeline.windows[w].last, windows[w].last);
    }
  }
}

TEST(UseHistory, IsEmptyAfterTake) {
  UseHistory history;
  history.add(microseconds(1), {0, 1}, 8);
  EXPECT_EQ(history.take().uses.size(), 1u);
  EXPECT_TRUE(history.take().windows.empty());
  history.add(microseconds(2), {2, 3}, 8);
  EXPECT_EQ(history.take().uses[0].connection, (Connection{2, 3}));
}

// One connection in each of `windows` windows, in turn, with `messages` messages.
UseHistory::Timeline in_turn(std::size_t windows, std::uint32_t connections, std::uint64_t messages) {
  UseHistory::Timeline timeline;
  for (std::uint32_t u = 0; u < connections; ++u) timeline.uses.push_back({{u, u}, 0, {}});
  for (std::size_t w = 0; w < windows; ++w) {
    const Time at = nanoseconds(static_cast<std::int64_t>(w));
    timeline.windows.push_back({at, at, messages, 0});
    timeline.uses[w % connections].messages += messages;
    timeline.uses[w % connections].windows[w / kWordBits] |= bit_of(w);
  }
  return timeline;
}

std::size_t windows_after(const std::vector<std::size_t>& window_of) { return window_of.back() + 1; }

TEST(WidenToRecurrence, AWindowContainsMostOfAnIterationAndNotTwo) {
  for (const std::uint32_t iteration : {1u, 2u, 4u, 8u, 20u}) {
    const std::size_t after = windows_after(widen_to_recurrence(in_turn(400, iteration, 1)));
    EXPECT_GE(after, 400 / iteration / 2) << iteration;
    EXPECT_LE(after, iteration == 1 ? 400 : 400 / iteration * 2) << iteration;
  }
}

TEST(WidenToRecurrence, IsOneWindowIfNothingRecurs) {
  EXPECT_EQ(windows_after(widen_to_recurrence(in_turn(400, 400, 1))), 1u);
  EXPECT_EQ(windows_after(widen_to_recurrence(in_turn(1, 1, 1))), 1u);
}

// A quarter of the time, but few messages: an eighth of the windows.
TEST(WidenToRecurrence, AssignsWindowsByTheShareOfTheJob) {
  UseHistory::Timeline timeline = in_turn(400, 4, 1000);
  for (std::size_t w = 0; w < 100; ++w) timeline.windows[w].messages = 1;
  const auto window_of = widen_to_recurrence(timeline);
  EXPECT_NEAR(static_cast<double>(window_of[99] + 1) / static_cast<double>(windows_after(window_of)), 0.125,
              0.02);
}

TEST(JoinWindows, KeepsMessagesAndUses) {
  const UseHistory::Timeline joined = join_windows(in_turn(6, 3, 2), {0, 0, 0, 1, 2, 2});
  ASSERT_EQ(joined.windows.size(), 3u);
  EXPECT_EQ(joined.windows[0].messages, 6u);
  EXPECT_EQ(joined.windows[0].first, nanoseconds(0));
  EXPECT_EQ(joined.windows[0].last, nanoseconds(2));
  EXPECT_EQ(joined.windows[1].messages, 2u);
  EXPECT_EQ(joined.windows[2].messages, 4u);
  EXPECT_EQ(joined.uses[0].windows[0], 0b011u);
  EXPECT_EQ(joined.uses[1].windows[0], 0b101u);
  EXPECT_EQ(joined.uses[2].windows[0], 0b101u);
  EXPECT_EQ(joined.uses[2].messages, 4u);
}

// Forty connections are used in every window. Of the others, with few messages, one is used occasionally, one
// in the first windows and once much later.
TEST(FindStrays, AreRarelyUsedAmongConnectionsWithManyMoreMessages) {
  UseHistory::Timeline timeline;
  timeline.windows.resize(400, {Time{}, Time{}, 40, 0});
  const auto add = [&](std::uint64_t messages, const std::vector<std::size_t>& windows) {
    UseHistory::Use& use = timeline.uses.emplace_back(UseHistory::Use{{0, 0}, messages, {}});
    for (std::size_t w : windows) use.windows[w / kWordBits] |= bit_of(w);
  };
  std::vector<std::size_t> every;
  for (std::size_t w = 0; w < 400; ++w) every.push_back(w);
  for (int u = 0; u < 40; ++u) add(1000, every);
  add(5, {7, 90, 150, 290, 350});                // 40: a stray
  add(2, {7, 8});                                // 41: a stray
  add(22, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 390});  // 42: the start of the job, and a stray use
  add(900, {7, 90, 150, 290, 350});              // 43: bursts of many messages
  const std::vector<bool> strays = find_strays(timeline);
  for (std::size_t u = 0; u < strays.size(); ++u) EXPECT_EQ(strays[u], u == 40 || u == 41) << u;
}

}  // namespace
}  // namespace hybrid
