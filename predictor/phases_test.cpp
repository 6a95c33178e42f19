#include "predictor/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include "predictor/testing/jobs.h"

namespace hybrid {

// In the namespace of the types, so that GoogleTest uses them.
std::ostream& operator<<(std::ostream& out, Connection c) { return out << c.source << ">" << c.destination; }
std::ostream& operator<<(std::ostream& out, const Phase& p) {
  return out << p.name << " " << to_string(p.begin) << "-" << to_string(p.end) << " occurrences "
             << p.occurrences << " messages " << p.messages << " set " << p.working_set.size() << " slots "
             << p.slots_needed;
}

namespace {

using namespace test_jobs;

std::vector<Phase> phases_of(const std::vector<Message>& messages, std::uint32_t ranks) {
  PhaseFinder finder(ranks);
  for (const Message& m : messages) finder.send(m.at, m.connection, m.bytes);
  return finder.finish();
}
std::vector<Phase> phases_of(const Job& job, std::uint32_t ranks = 16) {
  return phases_of(job.messages(), ranks);
}

bool holds(const std::vector<Connection>& set, const std::vector<Connection>& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

// The working set without its rare connections.
std::vector<Connection> frequent(const Phase& phase) {
  std::vector<Connection> set;
  std::set_difference(phase.working_set.begin(), phase.working_set.end(), phase.rare.begin(),
                      phase.rare.end(), std::back_inserter(set));
  return set;
}

// Disturbances of a real trace: ranks that lag behind others, and messages outside all patterns.
struct Disturbance {
  Time lag;
  std::uint32_t strays_per_thousand;
};
std::ostream& operator<<(std::ostream& out, const Disturbance& d) {
  return out << "lag " << to_string(d.lag) << ", strays " << d.strays_per_thousand << "/1000";
}
class Disturbed : public testing::TestWithParam<Disturbance> {
 protected:
  Job job(std::uint32_t ranks = 16) const { return Job(ranks, GetParam().lag); }
  std::vector<Phase> find(Job& job, std::uint32_t ranks = 16) const {
    return phases_of(job.add_strays(GetParam().strays_per_thousand), ranks);
  }
};
INSTANTIATE_TEST_SUITE_P(Phases, Disturbed,
                         testing::Values(Disturbance{{}, 0}, Disturbance{microseconds(30), 0},
                                         Disturbance{{}, 10}, Disturbance{microseconds(30), 10}));

TEST_P(Disturbed, HaloExchangeWithAnOccasionalAllReduceIsOnePhase) {
  Job j = job();
  j.repeat(1000, [](Job& j, int i) {
    j.run(halo(4, 4), microseconds(10)).compute(microseconds(20));
    if (i % 10 == 9) j.run(all_reduce(16), microseconds(3));
  });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(phases[0].occurrences, 1u);
  EXPECT_TRUE(holds(phases[0].working_set, set_of({halo(4, 4), all_reduce(16)})));
  EXPECT_EQ(frequent(phases[0]), set_of({halo(4, 4)}));
}

TEST_P(Disturbed, BroadcastsAtTheStartAreASeparatePhase) {
  Job j = job();
  j.repeat(20, [](Job& j, int) { j.run(broadcast(16), microseconds(100)); });
  const Time change = j.now();
  j.repeat(1000, [](Job& j, int) { j.run(halo(4, 4), microseconds(10)).compute(microseconds(10)); });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 2u) << testing::PrintToString(phases);
  // A fifth of the few messages at the start are strays: one of them may be taken for a member.
  const auto start = set_of({broadcast(16)});
  EXPECT_TRUE(holds(phases[0].working_set, start));
  EXPECT_LE(frequent(phases[0]).size(), start.size() + (GetParam().strays_per_thousand == 0 ? 0 : 2));
  EXPECT_EQ(frequent(phases[1]), set_of({halo(4, 4)}));
  EXPECT_NEAR(phases[1].begin.seconds(), change.seconds(), 0.02 * j.now().seconds());
}

TEST_P(Disturbed, RecurringWorkingSetsKeepTheirNameAndCountOccurrences) {
  Job j = job();
  for (int round = 0; round < 3; ++round) {
    j.repeat(300, [](Job& j, int) { j.run(halo(4, 4), microseconds(10)); });
    j.repeat(30, [](Job& j, int) { j.run(all_to_all(16), microseconds(80)); });
  }
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 2u) << testing::PrintToString(phases);
  EXPECT_EQ(phases[0].name, "phase 1");
  EXPECT_EQ(phases[0].occurrences, 3u);
  EXPECT_EQ(frequent(phases[0]), set_of({halo(4, 4)}));
  EXPECT_EQ(phases[0].slots_without_rare, 4u);
  EXPECT_EQ(phases[1].name, "phase 2");
  EXPECT_EQ(phases[1].occurrences, 3u);
  EXPECT_EQ(frequent(phases[1]), set_of({all_to_all(16)}));
  EXPECT_EQ(phases[1].slots_without_rare, 15u);
  EXPECT_NEAR(static_cast<double>(phases[0].messages), 3 * 300 * 64, 0.05 * 3 * 300 * 64);
  EXPECT_NEAR(static_cast<double>(phases[1].messages), 3 * 30 * 240, 0.1 * 3 * 30 * 240);
}

// The occurrences assign each message to the phase that counted it.
TEST_P(Disturbed, OccurrencesAssignEachMessageToItsPhase) {
  Job j = job();
  for (int round = 0; round < 3; ++round) {
    j.repeat(300, [](Job& j, int) { j.run(halo(4, 4), microseconds(10)); });
    j.repeat(30, [](Job& j, int) { j.run(all_to_all(16), microseconds(80)); });
  }
  const std::vector<Message> messages = j.add_strays(GetParam().strays_per_thousand).messages();
  PhaseFinder finder(16);
  for (const Message& m : messages) finder.send(m.at, m.connection, m.bytes);
  const auto phases = finder.finish();
  const auto& occurrences = finder.occurrences();
  std::vector<std::uint64_t> counted(phases.size()), begun(phases.size());
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(occurrences[i - 1].begin, occurrences[i].begin);
      EXPECT_NE(occurrences[i - 1].phase, occurrences[i].phase);
    }
    if (begun.at(occurrences[i].phase)++ == 0) {
      EXPECT_EQ(occurrences[i].begin, phases[occurrences[i].phase].begin);
    }
  }
  for (const Message& m : messages) {
    auto next = std::find_if(occurrences.begin(), occurrences.end(),
                             [&](const PhaseOccurrence& o) { return o.begin > m.at; });
    ASSERT_NE(next, occurrences.begin());
    ++counted[(next - 1)->phase];
  }
  for (std::size_t p = 0; p < phases.size(); ++p) {
    EXPECT_EQ(begun[p], phases[p].occurrences);
    EXPECT_EQ(counted[p], phases[p].messages);
  }
}

TEST_P(Disturbed, AWavefrontInAlternatingDirectionsIsOnePhase) {
  Job j = job();
  j.repeat(100, [](Job& j, int) {
    for (bool forward : {true, false})
      for (int plane = 0; plane < 30; ++plane) j.run(sweep(4, 4, forward), microseconds(3));
  });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(frequent(phases[0]), set_of({sweep(4, 4, true), sweep(4, 4, false)}));
  EXPECT_EQ(phases[0].slots_without_rare, 4u);
}

TEST_P(Disturbed, AllToAllsBetweenComputationsAreOneOccurrence) {
  Job j = job();
  j.repeat(20, [](Job& j, int) { j.run(all_to_all(16), microseconds(50)).compute(milliseconds(1)); });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(phases[0].occurrences, 1u);
  EXPECT_EQ(phases[0].working_set.size(), 240u);
  EXPECT_EQ(phases[0].slots_without_rare, 15u);
}

TEST_P(Disturbed, SetsThatAlternateInALoopBodyAreOnePhase) {
  // The two-phase pattern of D 5.5.1 as the body of a loop.
  Job j = job();
  j.repeat(50, [](Job& j, int) {
    j.run(all_to_all(16), microseconds(30));
    for (int round = 0; round < 16; ++round) j.run(halo(4, 4), microseconds(5));
  });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_GE(phases[0].working_set.size(), 230u);
}

TEST_P(Disturbed, ConjugateGradientIsOnePhase) {
  Step transpose;  // 4 x 4 ranks: row with column
  for (Port r = 0; r < 16; ++r)
    if (r / 4 != r % 4) transpose.push_back({r, r % 4 * 4 + r / 4});
  Step row_sum;  // recursive doubling within a row
  for (Port bit : {1u, 2u})
    for (Port r = 0; r < 16; ++r) row_sum.push_back({r, r ^ bit});
  Job j = job();
  j.repeat(15, [&](Job& j, int) {
    j.repeat(25, [&](Job& j, int) {
      j.run(row_sum, microseconds(2)).run(transpose, microseconds(5)).compute(microseconds(2));
      j.run(row_sum, microseconds(1)).run(row_sum, microseconds(1));
    });
    j.run(row_sum, microseconds(2)).compute(microseconds(40));
  });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(frequent(phases[0]), set_of({transpose, row_sum}));
}

TEST_P(Disturbed, MultigridCyclesAreOnePhase) {
  Step all;
  for (Port by : {1u, 2u, 4u, 8u, 15u, 14u, 12u})
    for (Connection c : shift(16, by)) all.push_back(c);
  Job j = job();
  j.repeat(40, [](Job& j, int) {
    for (Port by : {1u, 2u, 4u, 8u, 4u, 2u, 1u})
      j.run(shift(16, by), microseconds(5)).run(shift(16, 16 - by), microseconds(5));
  });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 1u) << testing::PrintToString(phases);
  EXPECT_EQ(frequent(phases[0]), set_of({all}));
}

TEST_P(Disturbed, OneLongPassOverAllDestinationsIsAPhaseWithoutRecurrence) {
  Job j = job(64);
  j.repeat(500, [](Job& j, int) { j.run(halo(8, 8), microseconds(8)); });
  j.run(all_to_all(64), milliseconds(1));
  j.repeat(500, [](Job& j, int) { j.run(halo(8, 8), microseconds(8)); });
  const auto phases = find(j, 64);
  ASSERT_EQ(phases.size(), 2u) << testing::PrintToString(phases);
  EXPECT_EQ(phases[0].occurrences, 2u);
  EXPECT_EQ(frequent(phases[0]), set_of({halo(8, 8)}));
  EXPECT_EQ(phases[1].occurrences, 1u);
  EXPECT_GE(phases[1].working_set.size(), 64u * 63 * 85 / 100);
}

TEST_P(Disturbed, ASlowLoopDoesNotHideAFastLoopAfterIt) {
  Job j = job(64);
  j.repeat(4, [](Job& j, int) { j.run(all_to_all(64), milliseconds(1)); });
  j.repeat(2000, [](Job& j, int) { j.run(halo(8, 8), microseconds(4)); });
  const auto phases = find(j, 64);
  ASSERT_EQ(phases.size(), 2u) << testing::PrintToString(phases);
  EXPECT_GE(phases[0].working_set.size(), 64u * 63 * 99 / 100);
  EXPECT_EQ(frequent(phases[1]), set_of({halo(8, 8)}));
}

TEST_P(Disturbed, IrregularTrafficIsOnePhase) {
  Job j = job();
  j.repeat(3000, [](Job& j, int) {
    Step step;
    for (int i = 0; i < 10; ++i) {
      const auto source = static_cast<Port>(j.random().below(16));
      step.push_back({source, static_cast<Port>((source + 1 + j.random().below(15)) % 16)});
    }
    j.run(step, microseconds(3));
  });
  EXPECT_EQ(find(j).size(), 1u);
}

TEST_P(Disturbed, AShortJobHasItsTwoPhases) {
  Job j = job();
  j.repeat(12, [](Job& j, int) { j.run(shift(16, 3), microseconds(30)); });
  j.repeat(13, [](Job& j, int) { j.run(shift(16, 5), microseconds(30)); });
  const auto phases = find(j);
  ASSERT_EQ(phases.size(), 2u) << testing::PrintToString(phases);
  EXPECT_EQ(frequent(phases[0]), set_of({shift(16, 3)}));
  EXPECT_EQ(frequent(phases[1]), set_of({shift(16, 5)}));
}

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

TEST_P(Disturbed, NeverFindsMoreThanAFewPhases) {
  // Loops of three random patterns of random lengths, in random order.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Job j(16, GetParam().lag, seed);
    std::vector<Step> patterns;
    for (int i = 0; i < 3; ++i) {
      Step step;
      for (int k = 0; k < 3; ++k)
        for (Connection c : shift(16, static_cast<std::uint32_t>(1 + j.random().below(15))))
          step.push_back(c);
      patterns.push_back(step);
    }
    j.repeat(60, [&](Job& j, int) {
      const Step& step = patterns[j.random().below(3)];
      const auto times = static_cast<int>(1 + j.random().below(60));
      j.repeat(times, [&](Job& j, int) { j.run(step, microseconds(5)); });
    });
    const auto phases = find(j);
    EXPECT_LE(phases.size(), 7u) << "seed " << seed << testing::PrintToString(phases);
    std::uint32_t occurrences = 0;
    for (const Phase& p : phases) occurrences += p.occurrences;
    EXPECT_LE(occurrences, 60u) << "seed " << seed;
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

// Runs of one program whose ranks are slower, lag behind each other, and take another time for each step.
TEST(Phases, DoNotDependOnTheSpeedAndJitterOfARun) {
  struct Run {
    std::int64_t slower;
    bool jitters;
    // Between half and one and a half of the time.
    Time operator()(Job& j, std::int64_t microseconds_each) const {
      const std::int64_t ps = microseconds(microseconds_each * slower).ps;
      const auto more = static_cast<std::int64_t>(j.random().below(static_cast<std::uint64_t>(ps)));
      return picoseconds(jitters ? ps / 2 + more : ps);
    }
  };
  const std::map<const char*, std::function<void(Job&, const Run&)>> programs{
      {"one loop",
       [](Job& j, const Run& run) {
         j.repeat(400, [&](Job& j, int i) {
           j.run(halo(4, 4), run(j, 10)).compute(run(j, 20));
           if (i % 10 == 9) j.run(all_reduce(16), run(j, 3));
           if (i % 100 == 50) j.run({{0, 5}, {0, 6}, {0, 7}, {3, 12}}, run(j, 2));
         });
       }},
      {"two loops",
       [](Job& j, const Run& run) {
         j.repeat(300, [&](Job& j, int) { j.run(halo(4, 4), run(j, 10)); });
         j.repeat(30, [&](Job& j, int) { j.run(all_to_all(16), run(j, 80)); });
       }},
      {"two alternating loops", [](Job& j, const Run& run) {
         for (int round = 0; round < 3; ++round) {
           j.repeat(300, [&](Job& j, int) { j.run(shift(16, 3), run(j, 10)); });
           j.repeat(300, [&](Job& j, int) { j.run(shift(16, 5), run(j, 10)); });
         }
       }}};
  for (const auto& [name, program] : programs) {
    const auto find = [&](const Run& run, Time lag, std::uint64_t seed) {
      Job job(16, lag, seed);
      program(job, run);
      return phases_of(job);
    };
    const auto expected = find({1, false}, {}, 1);
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
      for (const std::int64_t slower : {1, 7}) {
        const auto phases = find({slower, true}, microseconds(30 * slower), seed);
        const auto run = testing::Message() << name << ", seed " << seed << ", slower " << slower << "\n";
        ASSERT_EQ(phases.size(), expected.size()) << run << testing::PrintToString(phases);
        for (std::size_t p = 0; p < phases.size(); ++p) {
          EXPECT_EQ(phases[p].occurrences, expected[p].occurrences) << run;
          EXPECT_EQ(phases[p].working_set, expected[p].working_set) << run;
          EXPECT_EQ(phases[p].rare, expected[p].rare) << run;
          EXPECT_EQ(phases[p].slots_needed, expected[p].slots_needed) << run;
          EXPECT_EQ(phases[p].slots_without_rare, expected[p].slots_without_rare) << run;
        }
      }
  }
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
