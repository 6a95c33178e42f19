// The hybrid switch over a fat tree: worms hop by hop in S_W, circuits end to end in the other slots.
#include <gtest/gtest.h>

#include <map>

#include "emulator/switching/hybrid.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/ticked/ticked_switch.h"

namespace hybrid {
namespace {

SwitchParameters random_hybrid_case(Random& random, std::uint64_t seed) {
  SwitchParameters p = random_tree_parameters(random, "hybrid");
  if (random.below(4) == 0) p.input_queues = "fifo";
  p.worm_lookahead = seed % 2 == 1;
  p.nic_makes_headers = seed % 3 == 1;
  p.tree.turns_at_top = seed % 7 == 1;
  share_buffer(seed / 2, p);
  return p;
}

TEST(FatTreeHybrid, EqualsTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(400); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_hybrid_case(random, seed);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree) + " " + p.allocation);
    ASSERT_NO_THROW(check(p));
    const auto technique = TechniqueRegistration::make("hybrid", p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    ASSERT_TRUE(equal(recorder.outcomes, TickedSwitch(p).run(script, 200'000)));
    for (const Outcome& o : recorder.outcomes) ASSERT_NE(o.delivered, Time{-1});
  }
}

/// The length of S_W depends on what the switches measure, in each model by other means.
TEST(FatTreeHybrid, EqualsTheReferenceWithAMeasuredShareOfTheTime) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    Random random(seed);
    SwitchParameters p = random_hybrid_case(random, seed);
    p.allocation = "sla";
    p.wormhole_slot_length = Time{};
    p.sla_shares_time = true;
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree));
    const auto technique = TechniqueRegistration::make("hybrid", p);
    ASSERT_TRUE(equal(run_script(*technique, script, microseconds(10)).outcomes,
                      TickedSwitch(p).run(script, 200'000)));
  }
}

TEST(FatTreeHybrid, EqualsTheReferenceWithOurPolicies) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    Random random(seed);
    SwitchParameters p = random_hybrid_case(random, seed);
    draw_policies(random, p);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree));
    const auto technique = TechniqueRegistration::make("hybrid", p);
    ASSERT_TRUE(equal(run_script(*technique, script, microseconds(10)).outcomes,
                      TickedSwitch(p).run(script, 200'000)));
  }
}

TEST(FatTreeHybrid, OfOneLevelIsTheCrossbar) {
  for (std::uint64_t seed = 0; seed < random_cases(500); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, "hybrid");
    static const char* const kAllocations[] = {"none", "ses", "sla", "preempt"};
    p.allocation = kAllocations[random.below(4)];
    if (random.below(4) == 0) p.input_queues = "fifo";
    p.worm_lookahead = seed % 2 == 1;
    const std::vector<Action> script = random_script(random, p);
    const auto crossbar = TechniqueRegistration::make("hybrid", p);
    p.tree = {1, p.nodes, 1};
    const auto tree = TechniqueRegistration::make("hybrid", p);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Outcome> outcomes = run_script(*tree, script, microseconds(10)).outcomes;
    ASSERT_TRUE(equal(outcomes, run_script(*crossbar, script, microseconds(10)).outcomes));
    if (seed < 300) {
      ASSERT_TRUE(equal(outcomes, TickedSwitch(p).run(script, 200'000)));
    }
  }
}

TEST(FatTreeHybrid, DeliversEveryMessageOnceAndInOrderPerConnection) {
  for (std::uint64_t seed = 0; seed < random_cases(1500); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_hybrid_case(random, seed);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree) + " " + p.allocation);
    const auto technique = TechniqueRegistration::make("hybrid", p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    std::map<Connection, Time> last;
    Bytes bytes = 0;
    for (const Action& action : script) {
      if (action.what != Action::What::send) continue;
      const Outcome& o = recorder.outcomes[action.message.id];
      ASSERT_GT(o.injected, action.at);
      ASSERT_GT(o.delivered, o.injected);
      ASSERT_GT(o.delivered, last[action.message.connection]);
      last[action.message.connection] = o.delivered;
      bytes += action.message.bytes;
    }
    const TechniqueStatistics s = technique->statistics();
    EXPECT_EQ(s.messages, recorder.outcomes.size());
    EXPECT_EQ(s.messages, s.circuit_messages + s.wormhole_messages);
    EXPECT_EQ(s.bytes, bytes);
    EXPECT_EQ(technique->next_event(), Time::never());
  }
}

TEST(FatTreeHybrid, SkippedPeriodsDoNotChangeTheResult) {
  SwitchParameters p;
  p.tree = {3, 2, 2};
  p.nodes = 8;
  p.slot_length = nanoseconds(300);
  p.predictor_timeout = microseconds(20);
  for (const char* allocation : {"none", "ses", "sla", "preempt"}) {
    SCOPED_TRACE(allocation);
    p.allocation = allocation;
    std::vector<Action> script{{Action::What::preload, Time{}, {}, 0, Configuration(p.nodes), kNoPort}};
    // Worms until the predictor has a circuit for them, and circuits.
    const auto send = [&](std::uint64_t id, Port source, Port destination, Bytes bytes) {
      script.push_back({Action::What::send,
                        nanoseconds(3000 + static_cast<std::int64_t>(id) * 700),
                        {id, {source, destination}, bytes},
                        0,
                        {},
                        kNoPort});
    };
    for (const Connection c : {Connection{0, 7}, {1, 6}, {2, 3}}) script[0].configuration.add(c);
    send(0, 3, 4, 10'000);
    send(1, 0, 7, 400'000);
    send(2, 1, 6, 400'800);
    send(3, 3, 4, 20'000);
    send(4, 2, 3, 250'000);
    send(5, 2, 4, 5'000);
    TreeHybrid skipping(p), plain(p);
    plain.disable_period_skipping();
    const Recorder fast = run_script(skipping, script, milliseconds(100));
    ASSERT_TRUE(equal(fast.outcomes, run_script(plain, script, milliseconds(100)).outcomes));
    EXPECT_LT(skipping.events_handled() * 5, plain.events_handled() * 4);
    EXPECT_GT(skipping.statistics().wormhole_messages, 0U);
  }
}

TEST(FatTreeHybrid, SkippedPeriodsOfRandomTrafficDoNotChangeTheResult) {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 0; seed < random_cases(250); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_hybrid_case(random, seed);
    std::vector<Action> script = random_script(random, p);
    for (Action& action : script) action.message.bytes *= 20;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree) + " " + p.allocation);
    TreeHybrid skipping(p), plain(p);
    plain.disable_period_skipping();
    const std::vector<Outcome> outcomes = run_script(skipping, script, microseconds(100)).outcomes;
    ASSERT_TRUE(equal(outcomes, run_script(plain, script, microseconds(100)).outcomes));
    for (const Outcome& o : outcomes) ASSERT_NE(o.delivered, Time{-1});
    skipped += skipping.events_handled() < plain.events_handled() ? 1 : 0;
    if (seed < 10) {
      ASSERT_TRUE(equal(outcomes, TickedSwitch(p).run(script, 2'000'000)));
    }
  }
  EXPECT_GT(skipped, random_cases(250) / 25);
}

/// docs/timing.md, "Fat tree".
TEST(FatTreeHybrid, AgreesWithTheWorkedExample) {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  p.technique = "hybrid";
  p.allocation = "ses";
  p.predictor = "none";
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
    return run_script(*TechniqueRegistration::make("hybrid", p), script, milliseconds(1))
        .outcomes[0]
        .delivered;
  };
  // In the first switch at 100; the controller knows at 120; S_W from 200: at the switches from 200 + 100 +
  // 50 on, and usable 40 later: 390; in the second at 470, edge 480, granted 560; in the third at 640, an
  // edge, granted 720; wire 80, NIC 10.
  EXPECT_EQ(delivered(4, Time{}, false), nanoseconds(810));
  // Below one switch: 390 + 80 + 10, S_W beginning as late.
  EXPECT_EQ(delivered(1, Time{}, false), nanoseconds(480));
  EXPECT_EQ(delivered(4, nanoseconds(10'000), true), nanoseconds(10'170));
  // Sent at 80, there at 180, known at 200, in time for the slot that begins then: 390 as before. Sent at 90,
  // known at 210: S_W from 300, at the switches from 450 on: 490; 570, edge 640, granted 720; 800, an edge,
  // granted 880; 80 + 10.
  EXPECT_EQ(delivered(4, nanoseconds(80), false), nanoseconds(810));
  EXPECT_EQ(delivered(4, nanoseconds(90), false), nanoseconds(970));
  // The predictor's circuit is established at 240 and takes turns with S_W from 300 on, which is at the
  // switches in [390, 450), [590, 650) and [890, 950): 590 + 80 = 670, edge 720, granted 800; 890 + 80 + 10.
  p.predictor = "timeout";
  EXPECT_EQ(delivered(4, Time{}, false), nanoseconds(980));
}

}  // namespace
}  // namespace hybrid
