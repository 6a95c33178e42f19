#include "emulator/network/run.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

using Words = Run;  // testing::Test has another Run

std::vector<std::int64_t> words(const Run& run) {
  std::vector<std::int64_t> all;
  for (std::uint64_t i = 0; i < run.count; ++i) all.push_back(run.at(i).ps);
  return all;
}

Run random_run(Random& random) {
  return {picoseconds(static_cast<std::int64_t>(random.below(30))),
          picoseconds(static_cast<std::int64_t>(random.below(6))), 1 + random.below(12)};
}

/// `all` receives the words of the queue, one by one.
RunQueue random_queue(Random& random, std::vector<std::int64_t>& all) {
  RunQueue queue;
  Time next{};
  for (int push = 0; push < 5; ++push) {
    Words run = random_run(random);
    run.first += next;
    next = run.last();
    queue.push(run);
    for (const std::int64_t word : words(run)) all.push_back(word);
  }
  return queue;
}

TEST(Run, ServesAsAModelWordByWord) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    const Words in = random_run(random);
    const Time spacing = picoseconds(static_cast<std::int64_t>(1 + random.below(5)));
    const Time latest = picoseconds(static_cast<std::int64_t>(random.below(80)));
    const Time free = picoseconds(static_cast<std::int64_t>(random.below(60)));

    std::vector<std::int64_t> expected;
    Time expected_free = free;
    for (std::uint64_t i = 0; i < in.count; ++i) {
      const Time start = std::max(expected_free, in.at(i));
      if (start > latest) break;
      expected.push_back(start.ps);
      expected_free = start + spacing;
    }

    std::vector<std::int64_t> starts;
    Time now_free = free;
    for (Words rest = in; rest.count != 0;) {
      const Words out = serve_words(rest, spacing, latest, now_free);
      if (out.count == 0) break;
      for (const std::int64_t word : words(out)) starts.push_back(word);
      rest = {rest.at(out.count), rest.step, rest.count - out.count};
    }
    ASSERT_EQ(starts, expected);
    ASSERT_EQ(now_free, expected_free);
  }
}

TEST(Run, LaterOfIsTheLaterWordByWord) {
  Random random(2);
  for (int round = 0; round < 20'000; ++round) {
    const Words a = random_run(random), b = random_run(random);
    const Words later = later_of(a, b);
    ASSERT_GE(later.count, 1u);
    ASSERT_LE(later.count, std::min(a.count, b.count));
    for (std::uint64_t i = 0; i < later.count; ++i) ASSERT_EQ(later.at(i), std::max(a.at(i), b.at(i)));
  }
}

TEST(RunQueue, KeepsTheWordsAndJoinsAConstantRate) {
  Random random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::int64_t> expected;
    RunQueue queue = random_queue(random, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(queue.at(i).ps, expected[i]);
    ASSERT_EQ(queue.at(expected.size()), Time::never());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(queue.front().first.ps, expected[i]);
      queue.pop(1);
    }
    ASSERT_TRUE(queue.empty());
  }
  RunQueue steady;
  for (int i = 0; i < 1000; ++i) steady.push({picoseconds(10 * i), picoseconds(10), 1});
  EXPECT_EQ(steady.front(), (Words{Time{}, picoseconds(10), 1000}));
}

TEST(RunQueue, CopiesItsLastWordsAndRemovesItsFirst) {
  RunQueue queue;
  queue.push({picoseconds(0), picoseconds(2), 3});   // 0 2 4
  queue.push({picoseconds(10), picoseconds(3), 3});  // 10 13 16
  queue.push({picoseconds(40), picoseconds(1), 2});  // 40 41
  ASSERT_EQ(queue.runs(), 3U);
  std::vector<hybrid::Run> last;
  queue.copy_last(4, last);
  EXPECT_EQ(last, (std::vector<hybrid::Run>{{picoseconds(13), picoseconds(3), 2},
                                            {picoseconds(40), picoseconds(1), 2}}));
  queue.pop_all(5);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.popped(), 5U);
  EXPECT_EQ(queue.front().first, picoseconds(16));
  queue.delay(picoseconds(100));
  EXPECT_EQ(queue.front().first, picoseconds(116));
  EXPECT_EQ(queue.back().last(), picoseconds(141));
}

TEST(RunQueue, JoinsWordsOfThePastIntoOneRun) {
  Random random(4);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::int64_t> all;
    const RunQueue queue = random_queue(random, all);
    RunQueue gathered = queue;
    const Time from = picoseconds(static_cast<std::int64_t>(random.below(300)));
    gathered.merge_past(from);
    ASSERT_EQ(gathered.size(), queue.size());
    std::uint64_t past = 0;  // runs
    for (std::size_t r = 0; r < gathered.runs(); ++r) past += gathered.run(r).last() <= from ? 1 : 0;
    ASSERT_LE(past, 1U);
    for (std::uint64_t i = 0; i < queue.size(); ++i)
      ASSERT_EQ(std::max(gathered.at(i), from), std::max(queue.at(i), from));
  }
}

}  // namespace
}  // namespace hybrid
