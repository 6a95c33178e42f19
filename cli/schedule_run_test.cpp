// The check before the report: schedulers with faults, which exist in this test program only.
#include "cli/schedule_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {
namespace {

using testing::HasSubstr;

/// Everything into slot 0.
class CrowdingFitter final : public SlotFitter {
 public:
  SlotFit fit(const SlotProblem& problem) override {
    return {1, std::vector<std::uint32_t>(problem.set.requests.size(), 0)};
  }
};

/// Holds nothing.
class IdleDrain final : public DemandScheduler {
 public:
  std::vector<TimedConfiguration> drain(const DemandProblem&) override { return {}; }
};

/// Grants the first request, by ports 0 only, and with a fault all of them.
class FirstOfTree final : public TreeScheduler {
 public:
  FirstOfTree(const FatTreeShape& shape, bool all) : shape_(shape), all_(all) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (i > 0 && !all_) continue;
      paths[i].granted = true;
      paths[i].turn = static_cast<std::uint8_t>(shape_.levels - 1);
      ++granted;
    }
    return granted;
  }

 private:
  FatTreeShape shape_;
  bool all_;
};

class FaultyAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<SlotFitter> slot_fitter() const override { return std::make_unique<CrowdingFitter>(); }
  std::unique_ptr<DemandScheduler> demand() const override { return std::make_unique<IdleDrain>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t) const override {
    return std::make_unique<FirstOfTree>(shape, true);
  }
  bool schedules_fat_trees() const override { return true; }
};

class FirstAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t) const override {
    return std::make_unique<FirstOfTree>(shape, false);
  }
  bool schedules_fat_trees() const override { return true; }
};

const SchedulerRegistration kFaulty{"test-faulty", "for tests", []() -> std::unique_ptr<SchedulingAlgorithm> {
                                      return std::make_unique<FaultyAlgorithm>();
                                    }};
const SchedulerRegistration kFirst{"test-first", "for tests", []() -> std::unique_ptr<SchedulingAlgorithm> {
                                     return std::make_unique<FirstAlgorithm>();
                                   }};

ScheduleRun run(const ScheduleOptions& options) {
  return run_schedulers(options, [](auto, auto) {});
}

std::string fault(const ScheduleOptions& options) {
  try {
    run(options);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no fault found";
}

TEST(ScheduleRunner, ReportsNothingOfAFaultySchedule) {
  ScheduleOptions options;
  options.schedulers = {"test-faulty"};
  options.density = 4;
  EXPECT_THAT(fault(options), HasSubstr("test-faulty returned what is no schedule"));
  options.demand = true;
  EXPECT_THAT(fault(options), HasSubstr("are never carried"));
  options.demand = false;
  set_network("fattree:2,4", options);
  EXPECT_THAT(fault(options), HasSubstr("share"));
  options.slots_given = true;
  options.slots = 2;
  EXPECT_THAT(fault(options), HasSubstr("slot 0: "));
}

/// Counts how often it is made.
class CountedAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t) const override {
    ++made;
    return std::make_unique<FirstOfTree>(shape, false);
  }
  bool schedules_fat_trees() const override { return true; }
  static inline int made = 0;
};
const SchedulerRegistration kCounted{
    "test-counted", "for tests",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<CountedAlgorithm>(); }};

TEST(ScheduleRunner, TablesOfATreeAreBuiltOnce) {
  ScheduleOptions options;
  options.schedulers = {"test-counted"};
  set_network("fattree:2,4", options);
  options.repeats = 20;
  run(options);
  EXPECT_EQ(CountedAlgorithm::made, 1);
}

TEST(ScheduleRunner, FatTreesAndTheirPaths) {
  ScheduleOptions options;
  options.schedulers = {"test-first"};
  set_network("fattree:3,2,4", options);
  EXPECT_EQ(options.nodes, 64u);
  EXPECT_EQ(network_name(options, options.nodes), "fattree:3,2,4");
  options.repeats = 1;
  options.output = "schedule.json";
  const ScheduleRun result = run(options);
  ASSERT_EQ(result.scores.size(), 1u);
  EXPECT_EQ(result.scores[0].granted.mean(), 1);
  EXPECT_EQ(result.scores[0].requests.mean(), 64);
  EXPECT_EQ(result.scores[0].schedulability.mean(), 1.0 / 64);
  const auto schedule = nlohmann::json::parse(result.schedule);
  ASSERT_EQ(schedule["paths"].size(), 1u);
  EXPECT_EQ(schedule["paths"][0]["up"], nlohmann::json::parse("[0, 0]"));
  EXPECT_EQ(schedule["left_out"].size(), 63u);
}

TEST(ScheduleRunner, AFatTreeTakesPermutationsOnly) {
  ScheduleOptions options;
  options.schedulers = {"test-first"};
  set_network("fattree:2,4", options);
  options.pattern = "gather";
  EXPECT_THROW(run(options), UserError);
  options.pattern = "shift";
  EXPECT_EQ(run(options).scores[0].requests.mean(), 16);
}

TEST(ScheduleRunner, SeriesOfNumbers) {
  Series series;
  EXPECT_TRUE(series.empty());
  for (const double x : {3.0, -1.0, 4.0}) series.add(x);
  EXPECT_EQ(series.mean(), 2);
  EXPECT_EQ(series.least(), -1);
  EXPECT_EQ(series.largest(), 4);
  EXPECT_EQ(series.sum(), 6);
}

}  // namespace
}  // namespace hybrid
