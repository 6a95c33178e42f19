// Every demand scheduler: its schedule drains everything, and not in less time than the bound.
#include "emulator/scheduler/demand_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_drain.h"
#include "emulator/scheduler/demand_matrix.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/schedule_check.h"

namespace hybrid {
namespace {

constexpr BitRate kLinkRate = 8'000'000'000;

std::vector<std::string> demand_schedulers() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (SchedulerRegistration::make(name)->demand()) names.emplace_back(name);
  return names;
}

std::vector<TimedConfiguration> drained(std::string_view name, const DemandProblem& problem) {
  return SchedulerRegistration::make(name)->demand()->drain(problem);
}

Time time_of(std::string_view name, const DemandProblem& problem) {
  return drain_time(problem, drained(name, problem)).time;
}

RequestSet random_demand(Random& random) {
  RequestSet set{static_cast<std::uint32_t>(2 + random.below(14)), {}};
  const std::uint64_t all = std::uint64_t{set.ports} * (set.ports - 1);
  const Bytes most = std::uint64_t{1} << random.below(24);
  for (const std::uint64_t i : draw_distinct(random.below(all + 1), all, random))
    set.requests.push_back({connection_at(i, set.ports), random.below(10) == 0 ? 0 : 1 + random.below(most)});
  return set;
}

TEST(DemandSchedulers, SomeAreRegistered) { EXPECT_FALSE(demand_schedulers().empty()); }

TEST(DemandSchedulers, EverythingIsDrainedAndNotBelowTheBound) {
  for (const std::string& name : demand_schedulers())
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      Random random(seed);
      const RequestSet set = random_demand(random);
      const std::vector<BitRate> rates{1'000'000'000, 6'400'000'000, 333'333'333'333};
      const std::vector<Time> costs{Time{}, picoseconds(1), nanoseconds(17), microseconds(12),
                                    milliseconds(1)};
      const std::vector<double> shares{0, 0.001, 0.1, 1};
      const DemandProblem problem{set, rates[random.below(3)], costs[random.below(5)], random.below(2) == 0,
                                  shares[random.below(4)]};
      const std::vector<TimedConfiguration> schedule = drained(name, problem);
      ASSERT_EQ(fault_of(problem, schedule), "") << name << " seed " << seed;
      const Drain drain = drain_time(problem, schedule);
      Bytes all = 0;
      for (const Request& r : set.requests) all += r.bytes;
      ASSERT_EQ(drain.by_circuits + drain.by_packets, all) << name << " seed " << seed;
      ASSERT_GE(drain.time, drain_bound(problem)) << name << " seed " << seed;
      ASSERT_EQ(drain_time(problem, drained(name, problem)).time, drain.time) << name << " seed " << seed;
    }
}

TEST(DemandSchedulers, EveryFamilyOfRequestSets) {
  for (const std::string_view family : registered_names(RequestFamily::kKind))
    for (const std::string& name : demand_schedulers())
      for (const bool partial : {false, true}) {
        Random random(1);
        const RequestSet set = RequestFamilyRegistration::make(family, RequestSetShape{16, 5})->draw(random);
        const DemandProblem problem{set, kLinkRate, nanoseconds(100), partial, 0.1};
        ASSERT_EQ(fault_of(problem, drained(name, problem)), "") << name << " on " << family;
        ASSERT_GE(time_of(name, problem), drain_bound(problem)) << name << " on " << family;
      }
}

TEST(DemandSchedulers, APermutationIsOneConfiguration) {
  Random random(1);
  const RequestSet set =
      RequestFamilyRegistration::make("permutation", RequestSetShape{12, 1, 500})->draw(random);
  for (const std::string& name : demand_schedulers())
    for (const bool partial : {false, true}) {
      const DemandProblem problem{set, kLinkRate, nanoseconds(100), partial};
      EXPECT_EQ(drained(name, problem).size(), 1u) << name;
      EXPECT_EQ(time_of(name, problem), nanoseconds(600)) << name;
      EXPECT_EQ(drain_bound(problem), nanoseconds(600));
    }
}

TEST(DemandSchedulers, ThePacketNetworkAloneIfTheSetUpTakesLonger) {
  const RequestSet set{3, {{{0, 1}, 100}, {{1, 2}, 50}}};
  for (const std::string& name : demand_schedulers()) {
    const DemandProblem problem{set, kLinkRate, milliseconds(1), false, 0.5};
    EXPECT_TRUE(drained(name, problem).empty()) << name;
    EXPECT_EQ(time_of(name, problem), nanoseconds(200)) << name;
  }
}

TEST(DemandSchedulers, NothingToDrain) {
  for (const std::string& name : demand_schedulers())
    for (const RequestSet& set : {RequestSet{4, {}}, RequestSet{4, {{{0, 1}, 0}}}}) {
      const DemandProblem problem{set, kLinkRate, nanoseconds(10)};
      EXPECT_TRUE(drained(name, problem).empty()) << name;
    }
}

//   to 0   1   2
//  0 [  .  60  40 ]      all row and column sums are 100: the sum of two permutations,
//  1 [ 40   .  60 ]      0-1-2-0 for 60 and 0-2-1-0 for 40
//  2 [ 60  40   . ]
const RequestSet& circulant() {
  static const RequestSet set{
      3, {{{0, 1}, 60}, {{0, 2}, 40}, {{1, 0}, 40}, {{1, 2}, 60}, {{2, 0}, 60}, {{2, 1}, 40}}};
  return set;
}

TEST(DemandSchedulers, ASumOfTwoPermutations) {
  for (const std::string& name : demand_schedulers()) {
    const DemandProblem problem{circulant(), kLinkRate, nanoseconds(5)};
    EXPECT_EQ(drained(name, problem).size(), 2u) << name;
    EXPECT_EQ(time_of(name, problem), nanoseconds(110)) << name;
  }
}

TEST(Birkhoff, HoldsEachPermutationForItsSmallestEntry) {
  const auto schedule = drained("birkhoff", {circulant(), kLinkRate, nanoseconds(5)});
  ASSERT_EQ(schedule.size(), 2u);
  EXPECT_EQ(schedule[0].lasts + schedule[1].lasts, nanoseconds(110));
  for (const TimedConfiguration& step : schedule) {
    EXPECT_EQ(step.configuration.count(), 3u);
    EXPECT_EQ(step.lasts, nanoseconds(step.configuration.holds({0, 1}) ? 65 : 45));
  }
}

TEST(Birkhoff, WithoutReconfigurationCostReachesTheBound) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const RequestSet set = random_demand(random);
    const DemandProblem problem{set, kLinkRate};
    ASSERT_EQ(time_of("birkhoff", problem), drain_bound(problem)) << "seed " << seed;
  }
}

TEST(Solstice, TakesTheLongConfigurationFirst) {
  // Threshold 32 finds the permutation of 60s and, since 40 >= 32, that of 40s.
  const auto schedule = drained("solstice", {circulant(), kLinkRate, nanoseconds(5)});
  ASSERT_EQ(schedule.size(), 2u);
  // One permutation of 1000s, one of 3s: the large one comes first.
  const RequestSet set{
      3, {{{0, 1}, 1000}, {{1, 2}, 1000}, {{2, 0}, 1000}, {{0, 2}, 3}, {{1, 0}, 3}, {{2, 1}, 3}}};
  const auto uneven = drained("solstice", {set, kLinkRate, nanoseconds(5)});
  ASSERT_EQ(uneven.size(), 2u);
  EXPECT_TRUE(uneven[0].configuration.holds({0, 1}));
  EXPECT_EQ(uneven[0].lasts, nanoseconds(1005));
  EXPECT_EQ(uneven[1].lasts, nanoseconds(8));
}

TEST(Eclipse, BeginsWithTheConfigurationThatCarriesMostPerTime) {
  // 0 -> 1 and 1 -> 0 carry 110 bytes in 110 ns if held for 100 ns, 20 bytes in 20 ns if held for 10 ns. 0 ->
  // 1 and 2 -> 3 carry 190 bytes in 110 ns if held for 100 ns, and 180 bytes in 100 ns, the highest rate, if
  // held for 90 ns.
  const RequestSet set{4, {{{0, 1}, 100}, {{1, 0}, 10}, {{2, 3}, 90}, {{2, 0}, 10}}};
  const auto schedule = drained("eclipse", {set, kLinkRate, nanoseconds(10)});
  ASSERT_GE(schedule.size(), 2u);
  EXPECT_TRUE(schedule[0].configuration.holds({0, 1}));
  EXPECT_TRUE(schedule[0].configuration.holds({2, 3}));
  EXPECT_EQ(schedule[0].lasts, nanoseconds(100));
}

TEST(BestFirstFit, PartialReconfigurationReachesTheBoundOfThisDemand) {
  // 0 -> 1 carries for 100 while port 2 sends to 3 and then to 4; without partial reconfiguration it would be
  // interrupted.
  const RequestSet set{5, {{{0, 1}, 100}, {{2, 3}, 50}, {{2, 4}, 40}}};
  const DemandProblem partial{set, kLinkRate, nanoseconds(10), true};
  EXPECT_EQ(time_of("best-first-fit", partial), nanoseconds(110));
  EXPECT_EQ(drain_bound(partial), nanoseconds(110));
  DemandProblem whole = partial;
  whole.partial = false;
  EXPECT_GT(time_of("best-first-fit", whole), nanoseconds(110));
}

TEST(BestFirstFit, PartialStaysBelowTwiceTheBound) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const RequestSet set = random_demand(random);
    const DemandProblem problem{set, kLinkRate, nanoseconds(20), true};
    const Time bound = drain_bound(problem);
    ASSERT_LE(time_of("best-first-fit", problem), bound + bound) << "seed " << seed;
  }
}

TEST(BestFirstFit, NightlyRefusesATooLargeScheduleBeforeItIsBuilt) {
  RequestSetShape shape{600};
  shape.random_sizes = true;
  shape.bytes = 1 << 20;
  Random random(1);
  const RequestSet set = RequestFamilyRegistration::make("all-to-all", shape)->draw(random);
  EXPECT_THROW(drained("best-first-fit", {set, kLinkRate, nanoseconds(100), true}), UserError);
}

TEST(DemandSchedulers, NightlyLargeDemands) {
  for (const std::string& name : demand_schedulers())
    for (const bool partial : {false, true}) {
      Random random(1);
      const RequestSetShape shape{256, 16, 1 << 20};
      const RequestSet set = RequestFamilyRegistration::make("skewed", shape)->draw(random);
      const DemandProblem problem{set, 100'000'000'000, microseconds(20), partial, 0.1};
      ASSERT_EQ(fault_of(problem, drained(name, problem)), "") << name;
      ASSERT_GE(time_of(name, problem), drain_bound(problem)) << name;
    }
}

TEST(Stuffing, MakesAllSumsEqual) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const RequestSet set = random_demand(random);
    std::vector<DemandEntry> entries = demand_entries({set, kLinkRate});
    const std::size_t before = entries.size();
    stuff(entries, set.ports);
    ASSERT_LT(entries.size(), before + 2 * set.ports);
    std::vector<std::int64_t> row(set.ports), column(set.ports), real(2 * set.ports);
    for (const DemandEntry& e : entries) {
      ASSERT_GE(e.stuffed, e.left);
      row[e.connection.source] += e.stuffed;
      column[e.connection.destination] += e.stuffed;
      real[e.connection.source] += e.left;
      real[set.ports + e.connection.destination] += e.left;
    }
    const std::int64_t most = *std::max_element(real.begin(), real.end());
    for (Port p = 0; p < set.ports; ++p) {
      ASSERT_EQ(row[p], most);
      ASSERT_EQ(column[p], most);
    }
  }
}

TEST(KeptMatching, ReportsThatThereIsNone) {
  // With a threshold of 3 both inputs have output 0 only.
  std::vector<DemandEntry> entries{{{0, 0}, 0, 5}, {{1, 0}, 0, 5}, {{1, 1}, 0, 2}};
  KeptMatching matching(entries, 2);
  EXPECT_FALSE(matching.complete(3));
  EXPECT_TRUE(matching.complete(2));
  EXPECT_EQ(matching.members()[0], 0u);
  EXPECT_EQ(matching.members()[1], 2u);
  entries[0].stuffed = 1;
  EXPECT_FALSE(matching.complete(2));
  EXPECT_TRUE(matching.complete(1));
}

}  // namespace
}  // namespace hybrid
