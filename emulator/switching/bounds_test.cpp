// The bounds: `no-network`, `uncontended` and `ideal`.
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/switching/testing/random_switch.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/ticked/ticked_switch.h"
#include "emulator/ticked/ticked_tree.h"

namespace hybrid {
namespace {

std::vector<Outcome> outcomes(const SwitchParameters& p, std::string_view technique,
                              const std::vector<Action>& script) {
  return run_script(*TechniqueRegistration::make(technique, p), script, milliseconds(1)).outcomes;
}

Action send(std::uint64_t id, Time at, Connection c, Bytes bytes) {
  return {Action::What::send, at, {id, c, bytes}, 0, {}, kNoPort};
}

Time delivered(std::string_view technique, Bytes bytes, const SwitchParameters& p = {}) {
  return outcomes(p, technique, {send(0, {}, {0, 1}, bytes)})[0].delivered;
}

/// docs/timing.md, "Bounds".
TEST(Bounds, AgreeWithTheWorkedExamples) {
  EXPECT_EQ(delivered("no-network", 8), Time{});
  EXPECT_EQ(delivered("uncontended", 8), nanoseconds(130));
  EXPECT_EQ(delivered("uncontended", 128), nanoseconds(130 + 15 * 10));
  EXPECT_EQ(delivered("ideal", 8), nanoseconds(200));
  EXPECT_EQ(delivered("ideal", 136), nanoseconds(200 + 16 * 10)) << "one worm";
}

TEST(Uncontended, IsReachedByAnEstablishedCircuit) {
  SwitchParameters p;
  p.preload = 1;
  Action preload{Action::What::preload, {}, {}, 0, Configuration(p.nodes), kNoPort};
  preload.configuration.add({0, 1});
  const std::vector<Action> script{preload, send(0, microseconds(10), {0, 1}, 8)};
  EXPECT_EQ(outcomes(p, "tdm", script)[0].delivered, outcomes(p, "uncontended", script)[0].delivered);
}

TEST(Uncontended, TakesTheFasterFabric) {
  SwitchParameters p;
  p.analog_fabric = {nanoseconds(10), 100};
  EXPECT_EQ(delivered("uncontended", 8, p), delivered("ideal", 8, p)) << "the digital fabric";
}

TEST(Uncontended, OnlyTheLinkOfAConnectionLimitsFasterPes) {
  SwitchParameters p;
  p.link_rate /= 4;  // 40 ns a word; PEs generate one per 10 ns
  const auto found =
      outcomes(p, "uncontended", {send(0, {}, {0, 1}, 80), send(1, {}, {0, 2}, 8), send(2, {}, {0, 1}, 8)});
  // Entered 10 ... 100 and 110 and 120; the first leaves at 20, the tenth at 380.
  EXPECT_EQ(found[0].injected, nanoseconds(100));
  EXPECT_EQ(found[0].delivered, nanoseconds(380 + 100 + 10));
  EXPECT_EQ(found[1].delivered, nanoseconds(120 + 100 + 10));
  EXPECT_EQ(found[2].delivered, nanoseconds(420 + 100 + 10));
}

/// Two inputs and one output, then one input and two outputs: no port is idle in between.
TEST(Ideal, PortsPassFromMessageToMessageWithoutAGap) {
  const auto shared = outcomes({}, "ideal", {send(0, {}, {0, 2}, 800), send(1, {}, {1, 2}, 800)});
  EXPECT_EQ(shared[0].delivered, nanoseconds(200 + 99 * 10));
  EXPECT_EQ(shared[1].delivered, shared[0].delivered + nanoseconds(100 * 10));
  const auto sent = outcomes({}, "ideal", {send(0, {}, {0, 1}, 800), send(1, {}, {0, 2}, 800)});
  EXPECT_EQ(sent[1].delivered, sent[0].delivered + nanoseconds(100 * 10));
}

SwitchParameters wormhole_without_scheduling(SwitchParameters p) {
  p.technique = "wormhole";
  p.scheduler = {picoseconds(1), 0};
  p.worm_limit = 1024 * p.word;  // longer than any message of a script
  p.worm_overhead_words = 0;
  p.buffer = kUnlimited;
  p.input_queues = "per-destination";
  return p;
}

TEST(Ideal, EqualsTheReferenceOfWormholeWithoutScheduling) {
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_parameters(random, "wormhole");
    const std::vector<Action> script = random_script(random, p);
    ASSERT_TRUE(equal(outcomes(p, "ideal", script),
                      TickedSwitch(wormhole_without_scheduling(p)).run(script, 200'000)))
        << "seed " << seed;
  }
}

TEST(Ideal, EqualsTheReferenceOnFatTrees) {
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_tree_parameters(random, "wormhole");
    const std::vector<Action> script = random_script(random, p);
    ASSERT_TRUE(
        equal(outcomes(p, "ideal", script), TickedTree(wormhole_without_scheduling(p)).run(script, 200'000)))
        << "seed " << seed << " " << to_string(p.tree);
  }
}

/// Whether no message is injected or delivered before it is in `bound`.
testing::AssertionResult not_before(const std::vector<Outcome>& found, const std::vector<Outcome>& bound) {
  for (std::size_t id = 0; id < bound.size(); ++id)
    if (found[id].injected < bound[id].injected || found[id].delivered < bound[id].delivered)
      return testing::AssertionFailure() << "message " << id << ": injected " << found[id].injected.ps
                                         << ", delivered " << found[id].delivered.ps << "; bound "
                                         << bound[id].injected.ps << ", " << bound[id].delivered.ps;
  return testing::AssertionSuccess();
}

class NoTechnique : public testing::TestWithParam<std::string> {};

TEST_P(NoTechnique, DeliversBeforeUncontended) {
  for (std::uint64_t seed = 0; seed < random_cases(1500); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    if (seed % 4 == 3) p.input_queues = "fifo";
    if (seed % 2 == 1) p.analog_fabric.latency = 20;  // the digital fabric is faster
    const std::vector<Action> script = random_script(random, p);
    const auto found = outcomes(p, GetParam(), script), bound = outcomes(p, "uncontended", script);
    ASSERT_TRUE(not_before(found, bound)) << "seed " << seed;
    ASSERT_TRUE(not_before(bound, outcomes(p, "no-network", script)));
  }
}

TEST_P(NoTechnique, DeliversBeforeUncontendedOnFatTrees) {
  if (!runs_on_fat_trees(Technique::kKind, GetParam())) return;
  for (std::uint64_t seed = 0; seed < random_cases(750); ++seed) {
    Random random(seed);
    SwitchParameters p = random_tree_parameters(random, GetParam());
    if (seed % 2 == 1) {
      p.analog_fabric.latency = 20;
      p.slot_length += p.circuit_spread();
      p.wormhole_slot_length = Time{};
    }
    ASSERT_NO_THROW(check(p));
    const std::vector<Action> script = random_script(random, p);
    ASSERT_TRUE(not_before(outcomes(p, GetParam(), script), outcomes(p, "uncontended", script)))
        << "seed " << seed << " " << to_string(p.tree);
  }
}

std::vector<std::string> without_no_network() {
  std::vector<std::string> names = user_techniques();
  std::erase(names, "no-network");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Techniques, NoTechnique, testing::ValuesIn(without_no_network()),
                         technique_test_name);

}  // namespace
}  // namespace hybrid
