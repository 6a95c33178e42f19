// The phases of disturbed jobs: ranks that lag behind others, messages outside all patterns, other speeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>

#include "predictor/phases.h"
#include "predictor/testing/jobs.h"

namespace hybrid {
namespace {

using namespace test_jobs;

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

}  // namespace
}  // namespace hybrid
