// Contract of every registered technique: it delivers every message once, in order, and is deterministic.
// Comparison with the reference models.
#include <gtest/gtest.h>

#include <utility>

#include "emulator/switching/testing/random_switch.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/ticked/ticked_split.h"
#include "emulator/ticked/ticked_switch.h"

namespace hybrid {
namespace {

/// Options that change how fast competing techniques are granted, in every second switch.
void set_rivals(std::uint64_t seed, SwitchParameters& p) {
  p.worm_lookahead = p.pass_fills_all_slots = seed % 2 == 1;
  p.preload_is_direct = seed % 3 == 1;
  p.nic_makes_headers = seed % 5 < 2;
  if (seed % 7 == 3 && p.buffer != kUnlimited && p.technique != "packet")
    p.input_buffer = p.flit * (1 + seed / 7 % 5);
  p.request_width = static_cast<std::uint32_t>(seed / 2 % 4);
  share_buffer(seed / 4, p);
}

/// Whether a message may wait for ever without the demand guard: the predictors release nothing that is
/// preloaded, and some of them nothing at all.
bool may_starve(const SwitchParameters& p, const std::vector<Action>& script) {
  return p.predictor != "timeout" || std::any_of(script.begin(), script.end(), [](const Action& action) {
           return action.what == Action::What::preload;
         });
}

class EveryTechnique : public testing::TestWithParam<std::string> {};

TEST_P(EveryTechnique, DeliversEveryMessageOnceAndInOrderPerConnection) {
  for (std::uint64_t seed = 0; seed < random_cases(1500); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    if (seed % 4 == 3) p.input_queues = "fifo";
    set_rivals(seed, p);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto technique = TechniqueRegistration::make(p.technique, p);
    Recorder recorder(0);
    ASSERT_NO_THROW(recorder = run_script(*technique, script, microseconds(10)));
    std::map<Connection, Time> last_injected, last_delivered;
    std::map<Port, Time> last_of_source;
    // A network that takes no time reports several steps of a message at one instant.
    const Time step = picoseconds(is_instant(p.technique) ? 0 : 1);
    Bytes bytes = 0;
    for (const Action& action : script) {
      if (action.what != Action::What::send) continue;
      const Outcome& o = recorder.outcomes[action.message.id];
      ASSERT_NE(o.delivered, Time{-1}) << "message " << action.message.id << " was not delivered";
      ASSERT_GE(o.injected, action.at + step);
      ASSERT_GE(o.delivered, o.injected + step);
      ASSERT_GE(o.injected, last_of_source[action.message.connection.source] + step);
      last_of_source[action.message.connection.source] = o.injected;
      ASSERT_GE(o.delivered, last_delivered[action.message.connection]);
      last_delivered[action.message.connection] = o.delivered;
      bytes += action.message.bytes;
    }
    EXPECT_EQ(technique->statistics().messages, recorder.outcomes.size());
    EXPECT_EQ(technique->statistics().bytes, bytes);
    EXPECT_EQ(technique->next_event(), Time::never());

    const auto again = TechniqueRegistration::make(p.technique, p);
    const Recorder second = run_script(*again, script, microseconds(10));
    EXPECT_EQ(second.order, recorder.order);
    EXPECT_EQ(second.outcomes, recorder.outcomes);
  }
}

testing::AssertionResult equals_reference(const SwitchParameters& p, const std::vector<Action>& script,
                                          std::int64_t ticks = 200'000) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  const Recorder recorder = run_script(*technique, script, microseconds(10));
  return equal(recorder.outcomes, TickedSwitch(p).run(script, ticks));
}

class TickedTechnique : public testing::TestWithParam<std::string> {};

TEST_P(TickedTechnique, EqualsTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    const std::vector<Action> script = random_script(random, p);
    if (seed % 5 == 4) p.input_queues = "fifo";
    if (seed % 3 == 2) p.reconfiguration_lock = std::exchange(p.reconfiguration, Time{});
    set_rivals(seed, p);
    p.demand_guard = seed % 2 == 0 || may_starve(p, script);
    ASSERT_TRUE(equals_reference(p, script)) << "seed " << seed;
  }
}

TEST(Switching, EqualsTheReferenceWithOurPolicies) {
  for (const char* const technique : {"tdm", "hybrid"})
    for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
      Random random(seed);
      SwitchParameters p = random_parameters(random, technique);
      draw_policies(random, p);
      if (seed % 5 == 4) p.input_queues = "fifo";
      set_rivals(seed, p);
      const std::vector<Action> script = random_script(random, p);
      ASSERT_NO_THROW(check(p)) << "seed " << seed;
      ASSERT_TRUE(equals_reference(p, script)) << technique << ", seed " << seed;
    }
}

/// A reconfiguration of more than 256 sweeps of the scheduler: the demand guard's attempts depend on it.
TEST(Switching, EqualsTheReferenceOnASlowFabric) {
  for (const char* const technique : {"tdm", "hybrid"})
    for (std::uint64_t seed = 0; seed < random_cases(60); ++seed) {
      Random random(seed);
      SwitchParameters p = random_parameters(random, technique);
      p.allocation = "held";
      p.evicts_at_once = p.demand_guard = true;
      p.scheduler = {picoseconds(1), 0};
      p.slots = 1 + p.slots % 2;
      p.reconfiguration = picoseconds(1000 + static_cast<std::int64_t>(random.below(2000)));
      const std::vector<Action> script = random_script(random, p);
      ASSERT_NO_THROW(check(p)) << "seed " << seed;
      ASSERT_TRUE(equals_reference(p, script, 2'000'000)) << technique << ", seed " << seed;
    }
}

/// The length of S_W depends on what the switch measures, in each model by other means.
TEST(Switching, EqualsTheReferenceWithAMeasuredShareOfTheTime) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, "hybrid");
    p.allocation = "sla";
    p.wormhole_slot_length = Time{};
    p.sla_shares_time = true;
    p.misses_use_worms = seed % 4 != 3;
    if (seed % 5 == 4) p.input_queues = "fifo";
    if (seed % 3 == 2) p.reconfiguration_lock = std::exchange(p.reconfiguration, Time{});
    set_rivals(seed, p);
    const std::vector<Action> script = random_script(random, p);
    p.demand_guard = seed % 2 == 0 || !p.misses_use_worms || may_starve(p, script);
    ASSERT_TRUE(equals_reference(p, script)) << "seed " << seed;
  }
}

/// Seeds selected from some hundred thousand random switches in which circuits are lost and established again
/// in rare ways: a message travels as worms in between, a time-out passes when the last worm clears, or data
/// is offered to a circuit at the instant of the demand guard.
TEST(Switching, EqualsTheReferenceWhereCircuitsAreLostMeanwhile) {
  const std::pair<const char*, std::vector<std::uint64_t>> cases[] = {
      {"hybrid",
       {21539, 46095, 89781, 1002190, 2028833, 2054044, 2062618, 2069429, 2091143, 2097793, 3011935}},
      {"tdm", {2010641, 2024890, 2025769, 2028052, 2044683}}};
  for (const auto& [technique, seeds] : cases)
    for (const std::uint64_t seed : seeds) {
      Random random(seed);
      const SwitchParameters p = random_parameters(random, technique);
      ASSERT_TRUE(equals_reference(p, random_script(random, p))) << technique << ", seed " << seed;
    }
}

/// Long worms and wires with a fast scheduler: requests are many of its clock's edges ahead.
TEST(Switching, EqualsTheReferenceFarAheadOfTheScheduler) {
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, seed % 2 == 0 ? "wormhole" : "hybrid");
    p.scheduler.cycle = picoseconds(static_cast<std::int64_t>(1 + random.below(2)));
    p.cable = picoseconds(static_cast<std::int64_t>(1 + random.below(90)));
    p.worm_limit = p.word * 64;
    if (p.buffer != kUnlimited) p.buffer = p.word * (1 + random.below(60));
    p.flit = p.word;
    if (seed % 5 == 4) p.input_queues = "fifo";
    p.worm_lookahead = seed % 4 < 2;
    ASSERT_TRUE(equals_reference(p, random_script(random, p))) << "seed " << seed;
  }
}

TEST_P(EveryTechnique, CanOmitInjectionReports) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const SwitchParameters p = random_parameters(random, GetParam());
    const std::vector<Action> script = random_script(random, p);
    const auto reporting = TechniqueRegistration::make(p.technique, p);
    const auto silent = TechniqueRegistration::make(p.technique, p);
    silent->disable_injection_reports();
    const Recorder all = run_script(*reporting, script, microseconds(10));
    const Recorder some = run_script(*silent, script, microseconds(10));
    EXPECT_EQ(some.order, all.order);
    for (std::size_t id = 0; id < all.outcomes.size(); ++id) {
      ASSERT_EQ(some.outcomes[id].injected, Time{-1});
      ASSERT_EQ(some.outcomes[id].delivered, all.outcomes[id].delivered) << "seed " << seed;
      ASSERT_EQ(some.outcomes[id].hit, all.outcomes[id].hit);
    }
  }
}

TEST(Switching, EveryTechniqueHasAReference) {
  for (const std::string& technique : switch_techniques())
    EXPECT_NE(TickedSwitch::models(technique), TickedSplit::models(technique)) << technique;
}

INSTANTIATE_TEST_SUITE_P(Techniques, EveryTechnique, testing::ValuesIn(user_techniques()),
                         technique_test_name);
INSTANTIATE_TEST_SUITE_P(Techniques, TickedTechnique, testing::ValuesIn(techniques_of<TickedSwitch>()),
                         technique_test_name);

}  // namespace
}  // namespace hybrid
