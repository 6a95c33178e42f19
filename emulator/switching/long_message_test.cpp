// Long messages go through a switch in a few steps; what comes out must be what small steps give.
#include <gtest/gtest.h>

#include <sstream>

#include "emulator/switching/random_switch_for_test.h"
#include "emulator/switching/switching_reference.h"

namespace hybrid {
namespace {

/// A switch that is often one where a long message can be regular: no bounded queues, few slots.
SwitchParameters random_long_parameters(Random& random, const std::string& technique) {
  SwitchParameters p = random_parameters(random, technique);
  if (random.below(8) != 0) p.buffer = kUnlimited;
  if (random.below(2) == 0) p.slots = static_cast<std::uint32_t>(1 + random.below(2));
  if (random.below(2) == 0) p.word_generation = p.word_time();  // the link is just fast enough
  if (random.below(4) == 0) p.predictor = "none";
  return p;
}

/// A few long messages, some at once; sometimes short ones that come in between, of any connection.
std::vector<Action> random_long_script(Random& random, const SwitchParameters& p) {
  const std::uint64_t long_ones = 1 + random.below(3);
  const std::uint64_t short_ones = random.below(2) == 0 ? 0 : random.below(6);
  std::vector<Action> script;
  const auto send = [&](Time at, Bytes bytes) {
    const auto source = static_cast<Port>(random.below(p.nodes));
    const auto hop = 1 + random.below(random.below(2) == 0 ? 1 : p.nodes - 1);
    const Connection c{source, static_cast<Port>((source + hop) % p.nodes)};
    script.push_back({Action::What::send, at, {0, c, bytes}, 0, {}, kNoPort});
  };
  const auto instant = [&](std::uint64_t range) {
    return picoseconds(static_cast<std::int64_t>(random.below(range)));
  };
  for (std::uint64_t k = 0; k < long_ones; ++k)
    send(instant(random.below(2) == 0 ? 1 : 6000), p.word * (200 + random.below(2500)));
  for (std::uint64_t k = 0; k < short_ones; ++k) send(instant(12'000), random.below(120));
  if (random.below(5) == 0) script.push_back({Action::What::flush, instant(12'000), {}, 0, {}, kNoPort});
  std::sort(script.begin(), script.end(), [](const Action& x, const Action& y) { return x.at < y.at; });
  std::uint64_t id = 0;
  for (Action& action : script)
    if (action.what == Action::What::send) action.message.id = id++;
  return script;
}

std::string text(const TechniqueStatistics& s) {
  std::ostringstream out;
  out << "messages " << s.messages << " bytes " << s.bytes << " hits " << s.hits << " circuit "
      << s.circuit_messages << " wormhole " << s.wormhole_messages << " requests " << s.requests
      << " releases " << s.releases << " established " << s.established << " preloads " << s.preloads
      << " flushes " << s.flushes << " held unused " << s.held_unused.ps << " held " << s.held.ps
      << " slots used " << s.slots_used << " wasted " << s.slots_wasted << " cycles " << s.cycles;
  return out.str();
}

class LongMessages : public testing::TestWithParam<const char*> {};

TEST_P(LongMessages, EqualTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const SwitchParameters p = random_long_parameters(random, GetParam());
    const std::vector<Action> script = random_long_script(random, p);
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    const std::vector<Outcome> expected = TickedSwitch(p).run(script, 2'000'000);
    for (std::size_t id = 0; id < expected.size(); ++id) {
      ASSERT_EQ(recorder.outcomes[id].injected.ps, expected[id].injected.ps)
          << "seed " << seed << " message " << id;
      ASSERT_EQ(recorder.outcomes[id].delivered.ps, expected[id].delivered.ps)
          << "seed " << seed << " message " << id;
      ASSERT_EQ(recorder.outcomes[id].hit, expected[id].hit) << "seed " << seed << " message " << id;
    }
  }
}

/// Runs `technique` through `script` up to `end`, looking at the statistics at each of `looks` (ascending);
/// where `small_steps`, picosecond by picosecond, so that there is no room for a period in a step.
std::string history(Technique& technique, const std::vector<Action>& script, const std::vector<Time>& looks,
                    bool small_steps, Recorder& recorder) {
  std::string result;
  std::size_t next = 0;
  Time now{};
  const auto run_to = [&](Time until) {
    while (now < until) {
      const Time step = small_steps ? now + picoseconds(1) : until;
      now = technique.advance(step, recorder);
    }
    // Listeners may have been called at `until` with more to come at that instant.
    while (technique.next_event() <= until) technique.advance(until, recorder);
  };
  for (const Time look : looks) {
    while (next < script.size() && script[next].at <= look) {
      run_to(script[next].at);
      act(technique, script[next++]);
    }
    run_to(look);
    result += text(technique.statistics()) + "\n";
  }
  return result;
}

class StepsOfAnySize : public testing::TestWithParam<const char*> {};

TEST_P(StepsOfAnySize, GiveTheSameResults) {
  for (std::uint64_t seed = 1000; seed < 1800; ++seed) {
    Random random(seed);
    const SwitchParameters p = random_long_parameters(random, GetParam());
    const std::vector<Action> script = random_long_script(random, p);
    std::vector<Time> looks;
    for (int k = 0; k < 6; ++k) looks.push_back(picoseconds(static_cast<std::int64_t>(random.below(40'000))));
    looks.push_back(picoseconds(100'000));
    std::sort(looks.begin(), looks.end());
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const auto small = TechniqueRegistration::make(p.technique, p);
    Recorder recorder(script.size()), expected(script.size());
    EXPECT_EQ(history(*technique, script, looks, false, recorder),
              history(*small, script, looks, true, expected))
        << "seed " << seed;
    EXPECT_EQ(recorder.order, expected.order) << "seed " << seed;
    ASSERT_EQ(recorder.outcomes, expected.outcomes) << "seed " << seed;
  }
}

/// The first words come just before or after the message before them has left.
TEST_P(LongMessages, MayFollowAShortOneClosely) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (std::int64_t gap = 0; gap < 60; gap += 2) {
      Random random(seed);
      SwitchParameters p = random_long_parameters(random, GetParam());
      p.buffer = kUnlimited;
      const std::vector<Action> script{
          {Action::What::send, {}, {0, {0, 1}, p.worm_limit}, 0, {}, kNoPort},
          {Action::What::send, picoseconds(gap), {1, {0, 1}, p.word * 300}, 0, {}, kNoPort}};
      const auto technique = TechniqueRegistration::make(p.technique, p);
      const Recorder recorder = run_script(*technique, script, microseconds(10));
      ASSERT_EQ(recorder.outcomes, TickedSwitch(p).run(script, 2'000'000))
          << "seed " << seed << " gap " << gap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Techniques, LongMessages,
                         testing::Values("packet", "wormhole", "circuit", "tdm", "hybrid"));
INSTANTIATE_TEST_SUITE_P(Techniques, StepsOfAnySize,
                         testing::Values("packet", "wormhole", "circuit", "tdm", "hybrid", "wave", "coll",
                                         "chen-liu"));

/// What the worked examples of docs/timing.md give, a megabyte long. Preset ch5: 8192 worms of 16 words, one
/// per 240 ns; a circuit alone in its slots sends a word per 10 ns.
TEST(LongMessages, TakeTheTimeOfTheirPeriods) {
  const auto delivered = [](const char* name, Bytes bytes) {
    SwitchParameters p;
    p.technique = name;
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const std::vector<Action> script{{Action::What::send, {}, {0, {0, 1}, bytes}, 0, {}, kNoPort}};
    return run_script(*technique, script, milliseconds(100)).outcomes[0].delivered;
  };
  EXPECT_EQ(delivered("wormhole", 1 << 20), delivered("wormhole", 128) + nanoseconds(240) * 8191);
  EXPECT_EQ(delivered("tdm", 1 << 20), delivered("tdm", 8) + nanoseconds(10) * ((1 << 17) - 1));
}

/// The driver is not asked to look at each worm or slot of a long message.
TEST(LongMessages, GoInFewSteps) {
  for (const char* name : {"packet", "wormhole", "circuit", "tdm", "wave", "coll", "chen-liu"}) {
    SwitchParameters p;
    p.technique = name;
    const auto technique = TechniqueRegistration::make(p.technique, p);
    Recorder recorder(1);
    technique->send({}, {0, {0, 1}, 1 << 20});
    int steps = 0;
    for (; recorder.order.empty(); ++steps) technique->advance(technique->next_event(), recorder);
    EXPECT_LT(steps, 300) << name;
  }
}

}  // namespace
}  // namespace hybrid
