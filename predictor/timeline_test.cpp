#include "predictor/timeline.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

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
