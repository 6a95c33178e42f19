#include "predictor/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "predictor/testing/jobs.h"

namespace hybrid {

namespace {

using namespace test_jobs;

// D 5.5.1: one all-to-all, then 16 rounds with the neighbours. The all-to-all takes less than a round, but
// has four times its messages.
TEST(Phases, AnAllToAllShorterThanARoundIsOne) {
  for (const int all : {6, 10, 14, 20})
    for (const int round : {12, 24, 48}) {
      Job j(16);
      j.repeat(3, [&](Job& j, int) {
        j.run(all_to_all(16), microseconds(all));
        j.repeat(16, [&](Job& j, int) { j.run(halo(4, 4), microseconds(round)); });
      });
      const auto phases = phases_of(j);
      ASSERT_EQ(phases.size(), 2u) << all << ", " << round << testing::PrintToString(phases);
      EXPECT_EQ(phases[0].occurrences, 3u) << all << ", " << round;
      EXPECT_EQ(phases[1].occurrences, 3u) << all << ", " << round;
      // Messages within 1/256 of the job's length before the end of the phase may be assigned to the next
      // phase.
      const double unknown = std::min(1.0, j.now().seconds() / 256 / (all * 1e-6));
      const auto known = static_cast<std::size_t>(240 * (1 - unknown));
      Step surely = all_to_all(16);
      surely.resize(known);
      EXPECT_TRUE(holds(phases[0].working_set, set_of({surely}))) << all << ", " << round;
      EXPECT_EQ(frequent(phases[1]), set_of({halo(4, 4)})) << all << ", " << round;
    }
}

// As in a real job, the first all-to-all is slower, because of the first use of every buffer.
TEST(Phases, ASlowFirstOccurrenceHidesNoOther) {
  for (const int slower : {1, 5, 10, 20}) {
    Job j(16, microseconds(2));
    j.repeat(3, [&](Job& j, int repetition) {
      j.run(all_to_all(16), microseconds(repetition == 0 ? 15 * slower : 15));
      j.repeat(16, [&](Job& j, int) { j.run(halo(4, 4), microseconds(6)); });
    });
    const auto phases = phases_of(j);
    ASSERT_EQ(phases.size(), 2u) << slower << testing::PrintToString(phases);
    EXPECT_EQ(phases[0].occurrences, 3u) << slower;
    EXPECT_EQ(phases[1].occurrences, 3u) << slower;
    EXPECT_GE(phases[0].working_set.size(), 240u * 9 / 10) << slower;
    EXPECT_EQ(frequent(phases[1]), set_of({halo(4, 4)})) << slower;
  }
}

TEST(Phases, DoNotDependOnTheOrderOfTheStream) {
  Job job(16, microseconds(20));
  job.repeat(200, [](Job& j, int) { j.run(halo(4, 4), microseconds(10)); });
  job.repeat(30, [](Job& j, int) { j.run(all_to_all(16), microseconds(50)); });
  job.add_strays(10);
  std::vector<Message> messages = job.messages();
  const auto in_time = phases_of(messages, 16);
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return std::pair(b.connection.source, a.at) < std::pair(a.connection.source, b.at);
  });
  const auto rank_by_rank = phases_of(messages, 16);
  ASSERT_EQ(in_time.size(), 2u);
  ASSERT_EQ(rank_by_rank.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(in_time[i].begin, rank_by_rank[i].begin);
    EXPECT_EQ(in_time[i].end, rank_by_rank[i].end);
    EXPECT_EQ(in_time[i].messages, rank_by_rank[i].messages);
    EXPECT_EQ(in_time[i].bytes, rank_by_rank[i].bytes);
    EXPECT_EQ(in_time[i].working_set, rank_by_rank[i].working_set);
  }
}

TEST(Phases, AreTheSameForAJobThatIsSlowerOrStartsLater) {
  const auto find = [](Time start, std::int64_t slower) {
    Job job(16);
    job.compute(start);
    job.repeat(200, [&](Job& j, int) { j.run(shift(16, 1), slower * microseconds(10)); });
    job.repeat(300, [&](Job& j, int) { j.run(shift(16, 2), slower * microseconds(10)); });
    return phases_of(job);
  };
  for (const auto& [start, slower] :
       {std::pair{Time{}, std::int64_t{1}}, {milliseconds(3'600'000), 1}, {{}, 100'000}}) {
    const auto phases = find(start, slower);
    ASSERT_EQ(phases.size(), 2u);
    EXPECT_EQ(frequent(phases[0]), set_of({shift(16, 1)}));
    EXPECT_EQ(frequent(phases[1]), set_of({shift(16, 2)}));
    EXPECT_EQ(phases[0].begin, start);
  }
}

TEST(Phases, EveryMessageBelongsToOnePhase) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Job job(16, microseconds(50), seed);
    Random& random = job.random();
    for (std::uint64_t parts = 1 + random.below(5); parts > 0; --parts) {
      const Step step = shift(16, static_cast<std::uint32_t>(1 + random.below(15)));
      job.repeat(static_cast<int>(1 + random.below(200)),
                 [&](Job& j, int) { j.run(step, microseconds(5), 1 + random.below(10'000)); });
      job.compute(microseconds(static_cast<std::int64_t>(random.below(5'000))));
    }
    job.add_strays(30);
    const auto messages = job.messages();
    const auto phases = phases_of(messages, 16);
    std::set<Connection> used, held;
    for (const Message& m : messages) used.insert(m.connection);
    std::uint64_t count = 0;
    Bytes bytes = 0, sent = 0;
    Time begin = Time::never(), end{};
    for (const Phase& p : phases) {
      count += p.messages;
      bytes += p.bytes;
      EXPECT_LE(p.begin, p.end);
      EXPECT_GE(p.occurrences, 1u);
      EXPECT_FALSE(p.working_set.empty());
      EXPECT_TRUE(std::is_sorted(p.working_set.begin(), p.working_set.end()));
      EXPECT_EQ(p.slots_needed, slots_needed(p.working_set));
      EXPECT_EQ(p.slots_without_rare, slots_needed(frequent(p)));
      EXPECT_TRUE(holds(p.working_set, p.rare));
      EXPECT_LT(p.rare.size(), p.working_set.size());
      held.insert(p.working_set.begin(), p.working_set.end());
      begin = std::min(begin, p.begin);
      end = std::max(end, p.end);
    }
    for (const Message& m : messages) sent += m.bytes;
    EXPECT_EQ(held, used) << "seed " << seed;
    EXPECT_EQ(count, messages.size());
    EXPECT_EQ(bytes, sent);
    EXPECT_EQ(begin, messages.front().at);
    EXPECT_EQ(end, messages.back().at);
  }
}

TEST(Phases, TheWorkingSetIsEveryConnectionAndMarksTheRareOnes) {
  Job job(16, microseconds(20));
  const Step rare{{0, 5}, {0, 6}, {0, 7}, {0, 9}, {0, 10}, {3, 12}};
  job.repeat(500, [&](Job& j, int i) {
    j.run(halo(4, 4), microseconds(10));
    if (i % 100 == 50) j.run(rare, microseconds(2));  // 5 times in 500 iterations
  });
  const auto phases = phases_of(job);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(phases[0].working_set, set_of({halo(4, 4), rare}));
  EXPECT_EQ(phases[0].rare, set_of({rare}));
  EXPECT_EQ(phases[0].slots_needed, 9u) << "four neighbours of rank 0, and five others";
  EXPECT_EQ(phases[0].slots_without_rare, 4u);
}

TEST(Phases, ConnectionsThatAreUsedAlikeAreNotRare) {
  Job job(16);
  job.repeat(10, [](Job& j, int) { j.run(all_to_all(16), microseconds(50)); });
  const auto phases = phases_of(job);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].working_set, set_of({all_to_all(16)}));
  EXPECT_EQ(phases[0].rare, Step());
}

TEST(Phases, AJobWithoutMessagesHasNone) { EXPECT_TRUE(PhaseFinder(16).finish().empty()); }

TEST(Phases, OneMessageIsOnePhase) {
  PhaseFinder finder(4);
  finder.send(microseconds(5), {1, 2}, 100);
  const auto phases = finder.finish();
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].name, "phase 1");
  EXPECT_EQ(phases[0].begin, microseconds(5));
  EXPECT_EQ(phases[0].end, microseconds(5));
  EXPECT_EQ(phases[0].messages, 1u);
  EXPECT_EQ(phases[0].bytes, 100u);
  EXPECT_EQ(phases[0].working_set, (std::vector<Connection>{{1, 2}}));
  EXPECT_EQ(phases[0].slots_needed, 1u);
}

// Whether the edges from index `next` on can be coloured with `colours` so that no two edges of a colour
// share a port.
bool colourable(const std::vector<Connection>& edges, std::vector<std::uint32_t>& colour, std::size_t next,
                std::uint32_t colours) {
  if (next == edges.size()) return true;
  for (std::uint32_t c = 0; c < colours; ++c) {
    bool free = true;
    for (std::size_t i = 0; i < next; ++i)
      free &= colour[i] != c ||
              (edges[i].source != edges[next].source && edges[i].destination != edges[next].destination);
    if (!free) continue;
    colour[next] = c;
    if (colourable(edges, colour, next + 1, colours)) return true;
  }
  return false;
}

TEST(SlotsNeeded, IsTheSmallestNumberOfColours) {
  EXPECT_EQ(slots_needed({}), 0u);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::uint64_t sources = 1 + random.below(5), destinations = 1 + random.below(5);
    std::vector<Connection> set;
    for (Port s = 0; s < sources; ++s)
      for (Port d = 0; d < destinations; ++d)
        if (random.below(2) == 0) set.push_back({s, d});
    std::vector<std::uint32_t> colour(set.size());
    std::uint32_t fewest = 0;
    while (!colourable(set, colour, 0, fewest)) ++fewest;
    EXPECT_EQ(slots_needed(set), fewest) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hybrid
