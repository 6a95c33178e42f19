// TDM over a fat tree: circuits end to end, with the same slots for the whole tree.
#include <gtest/gtest.h>

#include "emulator/network/engine.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/ticked/ticked_switch.h"

namespace hybrid {
namespace {

TEST(FatTreeTdm, EqualsTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(600); ++seed) {
    Random random(seed);
    SwitchParameters p = random_tree_parameters(random, "tdm");
    if (seed % 3 == 2) draw_policies(random, p);
    p.preload_is_direct = seed % 4 == 1;
    p.tree.turns_at_top = seed % 5 == 1;
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree) + " " + p.allocation);
    ASSERT_NO_THROW(check(p));
    const auto technique = TechniqueRegistration::make("tdm", p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    ASSERT_TRUE(equal(recorder.outcomes, TickedSwitch(p).run(script, 200'000)));
    for (const Outcome& o : recorder.outcomes) ASSERT_NE(o.delivered, Time{-1});
  }
}

TEST(FatTreeTdm, OfOneLevelIsTheCrossbar) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, "tdm");
    const std::vector<Action> script = random_script(random, p);
    const auto crossbar = TechniqueRegistration::make("tdm", p);
    p.tree = {1, p.nodes, 1};
    const auto tree = TechniqueRegistration::make("tdm", p);
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_TRUE(equal(run_script(*tree, script, microseconds(10)).outcomes,
                      run_script(*crossbar, script, microseconds(10)).outcomes));
  }
}

TEST(FatTreeTdm, SkippedPeriodsDoNotChangeTheResult) {
  SwitchParameters p;
  p.tree = {3, 2, 2};
  p.nodes = 8;
  p.slot_length = nanoseconds(300);
  std::vector<Action> script;
  for (std::uint64_t id = 0; id < 4; ++id)
    script.push_back({Action::What::send,
                      nanoseconds(static_cast<std::int64_t>(id) * 700),
                      {id, {static_cast<Port>(id), static_cast<Port>(7 - id)}, 100'000 + 800 * id},
                      0,
                      {},
                      kNoPort});
  const auto skipping = TechniqueRegistration::make("tdm", p), plain = TechniqueRegistration::make("tdm", p);
  dynamic_cast<Engine&>(*plain).disable_period_skipping();
  const Recorder fast = run_script(*skipping, script, milliseconds(100));
  ASSERT_TRUE(equal(fast.outcomes, run_script(*plain, script, milliseconds(100)).outcomes));
  EXPECT_LT(dynamic_cast<Engine&>(*skipping).events_handled() * 2,
            dynamic_cast<Engine&>(*plain).events_handled());
}

/// docs/timing.md, "Fat tree".
TEST(FatTreeTdm, AgreesWithTheWorkedExample) {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  p.technique = "tdm";
  p.tree = {2, 4, 4};
  p.nodes = 16;
  check(p);
  const auto delivered = [&](Port destination, Time at, bool preloaded) {
    std::vector<Action> script;
    if (preloaded) {
      script.push_back({Action::What::preload, Time{}, {}, 0, Configuration(p.nodes), kNoPort});
      script.back().configuration.add({0, destination});
    }
    script.push_back({Action::What::send, at, {0, {0, destination}, 8}, 0, {}, kNoPort});
    return run_script(*TechniqueRegistration::make("tdm", p), script, milliseconds(1)).outcomes[0].delivered;
  };
  // Below one switch, as in a crossbar: generated 10, NIC 10, 30 + 20 + 20 + 30, NIC 10.
  EXPECT_EQ(delivered(1, nanoseconds(10'000), true), nanoseconds(10'130));
  // Through three switches two cables more.
  EXPECT_EQ(delivered(4, nanoseconds(10'000), true), nanoseconds(10'170));
  // Requested: leaves 20, at the scheduler 20 + 30 + 2 * 20 + 30 = 120, edge 160, established 240; the slot
  // that begins at 300 is at the NIC from 400, and usable 40 later; 440 + 140 + 10.
  EXPECT_EQ(delivered(4, Time{}, false), nanoseconds(590));
}

}  // namespace
}  // namespace hybrid
