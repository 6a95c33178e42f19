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

}  // namespace
}  // namespace hybrid
