// Wormhole over a fat tree, switch by switch.
#include <gtest/gtest.h>

#include "emulator/switching/testing/random_switch.h"
#include "emulator/ticked/ticked_tree.h"

namespace hybrid {
namespace {

SwitchParameters random_wormhole_case(Random& random, std::uint64_t seed) {
  SwitchParameters p = random_tree_parameters(random, "wormhole");
  if (random.below(4) == 0) p.input_queues = "fifo";
  p.worm_lookahead = seed % 2 == 1;
  share_buffer(seed / 2, p);
  return p;
}

TEST(FatTreeWormhole, EqualsTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(750); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_wormhole_case(random, seed);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree));
    ASSERT_NO_THROW(check(p));
    const auto technique = TechniqueRegistration::make("wormhole", p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    const std::vector<Outcome> expected = TickedTree(p).run(script, 100'000);
    for (std::size_t id = 0; id < expected.size(); ++id) {
      ASSERT_EQ(recorder.outcomes[id].injected.ps, expected[id].injected.ps) << "message " << id;
      ASSERT_EQ(recorder.outcomes[id].delivered.ps, expected[id].delivered.ps) << "message " << id;
    }
  }
}

TEST(FatTreeWormhole, DeliversEveryMessageOnceAndInOrderPerConnection) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_wormhole_case(random, seed);
    const std::vector<Action> script = random_script(random, p);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(p.tree));
    const auto technique = TechniqueRegistration::make("wormhole", p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    std::map<Connection, Time> last;
    Bytes bytes = 0;
    for (const Action& action : script) {
      if (action.what != Action::What::send) continue;
      const Outcome& o = recorder.outcomes[action.message.id];
      ASSERT_GT(o.injected, action.at);
      ASSERT_GT(o.delivered, o.injected);
      ASSERT_GE(o.delivered, last[action.message.connection]);
      last[action.message.connection] = o.delivered;
      bytes += action.message.bytes;
    }
    EXPECT_EQ(technique->statistics().messages, recorder.outcomes.size());
    EXPECT_EQ(technique->statistics().bytes, bytes);
    EXPECT_EQ(technique->next_event(), Time::never());
  }
}

TEST(FatTreeWormhole, OfOneLevelIsTheCrossbar) {
  for (std::uint64_t seed = 0; seed < random_cases(500); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, "wormhole");
    if (random.below(4) == 0) p.input_queues = "fifo";
    p.worm_lookahead = seed % 2 == 1;
    const std::vector<Action> script = random_script(random, p);
    const auto crossbar = TechniqueRegistration::make("wormhole", p);
    p.tree = {1, p.nodes, 1};
    const auto tree = TechniqueRegistration::make("wormhole", p);
    EXPECT_EQ(run_script(*tree, script, microseconds(10)).outcomes,
              run_script(*crossbar, script, microseconds(10)).outcomes)
        << "seed " << seed;
  }
}

SwitchParameters preset_ch5() {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  p.technique = "wormhole";
  p.tree = {2, 4, 4};
  p.nodes = 16;
  return p;
}
Time delivered(const SwitchParameters& p, Port destination, Bytes bytes) {
  const std::vector<Action> script{
      {Action::What::send, Time{}, {0, {0, destination}, bytes}, 0, {}, kNoPort}};
  return run_script(*TechniqueRegistration::make("wormhole", p), script, milliseconds(1))
      .outcomes[0]
      .delivered;
}

/// docs/timing.md, "Fat tree".
TEST(FatTreeWormhole, AgreesWithTheWorkedExample) {
  const SwitchParameters p = preset_ch5();
  // As in a crossbar below one switch.
  EXPECT_EQ(delivered(p, 1, 8), nanoseconds(340));
  // In the first switch at 100, granted 240; fabric 10, wire 80: in the second at 330; edge 400, granted 480;
  // in the third at 570, edge 640, granted 720; 10 + 80 + 10.
  EXPECT_EQ(delivered(p, 4, 8), nanoseconds(820));
  // The flits after the first follow in 10 ns each.
  EXPECT_EQ(delivered(p, 4, 128), nanoseconds(820 + 15 * 10));
}

TEST(FatTreeWormhole, WithLookAheadTheNextWormFollowsWithoutAGap) {
  SwitchParameters p = preset_ch5();
  // The second worm waits at every switch for the edge at which the first one has left: granted 480, 720,
  // 960; 15 more words, 10 + 80 + 10.
  EXPECT_EQ(delivered(p, 4, 256), nanoseconds(960 + 150 + 100));
  // The first worm leaves the switches at 400, 640 and 880: the second one is granted on the edge 80 before
  // each, and its words, 90 apart from switch to switch, are there.
  p.worm_lookahead = true;
  EXPECT_EQ(delivered(p, 4, 256), nanoseconds(880 + 150 + 100));
}

TEST(FatTreeWormhole, ZeroLoadLatencyIsTheSumOfTheComponents) {
  for (const char* name : {"ch4", "ch5", "ch8"})
    for (const FatTreeShape shape : {FatTreeShape{1, 4, 1}, {2, 4, 4}, {3, 3, 2}, {4, 2, 2}}) {
      SwitchParameters p;
      apply_preset(name, p, false);
      p.tree = shape;
      p.nodes = FatTree(shape).nodes();
      p.preload = 0;
      p.slots = 1;
      p.technique = "wormhole";
      const FatTree tree(shape);
      for (Port destination = 1; destination < p.nodes; ++destination) {
        Time there = p.word_generation + p.nic.delay() + p.one_way_wire(), first = there;
        const std::uint32_t hops = 2 * tree.turn(0, destination) + 1;
        for (std::uint32_t hop = 0; hop < hops; ++hop) {
          first = next_edge(there, p.scheduler.cycle) + p.scheduler.delay();
          there = first + p.digital_fabric.delay() + p.one_way_wire();
        }
        const Time last_word = p.word_time() * static_cast<std::int64_t>(p.worm_overhead_words);
        EXPECT_EQ(delivered(p, destination, 8), there + last_word + p.nic.delay()) << name << destination;
      }
    }
}

}  // namespace
}  // namespace hybrid
