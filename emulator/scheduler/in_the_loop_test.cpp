// One-slot schedulers inside the emulated switch (`--scheduler`, `--scheduler-steps`).
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "emulator/scheduler/testing/slots.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

/// The slotted switch of the theory: K = 1, a slot carries a word, all other delays are 0, and the scheduler
/// makes a pass before every slot.
SwitchParameters cell_switch(const std::string& scheduler) {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = 32;
  p.slots = 1;
  p.slot_length = p.word_generation = p.word_time();
  p.nic = {p.word_time(), 0};
  p.scheduler = {p.word_time(), 0};
  p.serialise = p.cable = p.deserialise = Time{};
  p.scheduler_name = scheduler;
  return p;
}

Measures uniform_words(const std::string& scheduler, double load) {
  const SwitchParameters p = cell_switch(scheduler);
  TrafficOptions o;
  o.pattern = "uniform";
  o.message = p.word;
  o.messages = 8000;
  o.load = load;
  return simulate(p, o);
}

// Queues per destination with maximum matching carry uniform load up to 1 (slotted_switch_test.cpp), here
// under Poisson arrivals; one FIFO per input carries 0.586 (emulator/traffic/known_results_test.cpp). The
// connection of a queue with data stays. That costs maximum matching nothing, but costs greedy a tenth of the
// links, because greedy does not use ports freed downstream in the same pass.
TEST(SchedulersInTheLoop, MaximumMatchingCarriesUniformLoadUpToOne) {
  for (const char* scheduler : {"exact", "matching"}) {
    const Measures m = uniform_words(scheduler, 0.97);
    EXPECT_NEAR(m.accepted_load.value(), m.offered_load.value(), 0.003) << scheduler;
    EXPECT_LT(m.latency.mean(), nanoseconds(1000)) << scheduler;
  }
  EXPECT_NEAR(uniform_words("greedy-release-first", 0.97).accepted_load.value(), 0.93, 0.02);
  EXPECT_NEAR(uniform_words("greedy", 0.97).accepted_load.value(), 0.84, 0.01);
}

// simulate() throws if any message is lost, duplicated, truncated or reordered.
TEST(SchedulersInTheLoop, EachCrossbarSchedulerDeliversEverything) {
  for (const char* technique : {"tdm", "hybrid"})
    for (const std::string pattern : {"ordered-mesh", "uniform"})
      for (const std::string& scheduler : one_slot_names()) {
        SwitchParameters p;
        p.technique = technique;
        p.nodes = 16;
        p.scheduler_name = scheduler;
        TrafficOptions o;
        o.pattern = pattern;
        o.message = 100;
        o.messages = 30;
        const Measures m = simulate(p, o);
        EXPECT_EQ(m.messages, pattern == "uniform" ? 16u * 30 : 360u) << scheduler << " " << technique;
        EXPECT_GT(m.hit_rate, 0) << scheduler << " " << technique << " " << pattern;
      }
}

TEST(SchedulersInTheLoop, EachFatTreeSchedulerDeliversEverything) {
  std::map<std::string_view, Time> times;
  for (const char* technique : {"tdm", "hybrid"})
    for (const std::string_view scheduler : names_in_the_loop(true)) {
      SwitchParameters p;
      p.technique = technique;
      p.tree = {2, 4, 4};
      p.nodes = 16;
      p.allocation = "ses";
      p.scheduler_name = scheduler;
      TrafficOptions o;
      o.pattern = "uniform";
      o.message = 400;
      o.messages = 60;
      const Measures m = simulate(p, o);
      EXPECT_EQ(m.messages, 16u * 60) << scheduler << " " << technique;
      times[scheduler] = m.time;
    }
  ASSERT_FALSE(times.empty());
  EXPECT_NE(times["d-mod-k"], times["greedy"]);
}

TEST(SchedulersInTheLoop, StepsReachTheScheduler) {
  const auto run = [](const std::string& scheduler, std::uint32_t steps) {
    SwitchParameters p = cell_switch(scheduler);
    p.scheduler_steps = steps;
    TrafficOptions o;
    o.pattern = "uniform";
    o.message = p.word;
    o.messages = 300;
    return simulate(p, o).time;
  };
  EXPECT_EQ(run("matching", 1), run("greedy", 0)) << "K = 1 is the greedy schedule";
  EXPECT_EQ(run("matching", 9), run("matching", 0));
  EXPECT_LT(run("matching", 9), run("matching", 1));
  EXPECT_LT(run("islip", 5), run("islip", 1));
}

}  // namespace
}  // namespace hybrid
