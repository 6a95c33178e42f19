// Long messages, of which the engine skips whole periods: the results must be those of small steps.
#include <gtest/gtest.h>

#include <sstream>

#include "core/testing/random_cases.h"
#include "emulator/network/engine.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/ticked/ticked_switch.h"

namespace hybrid {
namespace {

/// A random switch in which long messages often become periodic soon: few slots, often unbounded queues.
SwitchParameters random_long_parameters(Random& random, const std::string& technique) {
  SwitchParameters p = random_parameters(random, technique);
  if (random.below(2) != 0) p.buffer = kUnlimited;
  if (random.below(2) == 0) p.slots = static_cast<std::uint32_t>(1 + random.below(2));
  if (random.below(2) == 0) p.word_generation = p.word_time();  // the link is just fast enough
  if (random.below(4) == 0) p.predictor = "none";
  p.worm_lookahead = random.below(2) == 0;
  p.nic_makes_headers = p.word_generation.ps % 2 == 1;
  if (random.below(2) == 0) draw_policies(random, p);
  return p;
}

/// A few long messages, some at once, sometimes with short messages of any connection in between.
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

class LongMessages : public testing::TestWithParam<std::string> {};

TEST_P(LongMessages, EqualTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_long_parameters(random, GetParam());
    const std::vector<Action> script = random_long_script(random, p);
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder recorder = run_script(*technique, script, microseconds(10));
    ASSERT_TRUE(equal(recorder.outcomes, TickedSwitch(p).run(script, 2'000'000))) << "seed " << seed;
  }
}

/// Runs `script` and returns the statistics at each instant of `instants` (ascending). With `small_steps`,
/// the technique advances by one picosecond at a time, so that no period fits into a step.
std::string history(Technique& technique, const std::vector<Action>& script,
                    const std::vector<Time>& instants, bool small_steps, Recorder& recorder) {
  std::string result;
  std::size_t next = 0;
  Time now{};
  const auto run_to = [&](Time until) {
    while (now < until) {
      const Time step = small_steps ? now + picoseconds(1) : until;
      now = technique.advance(step, recorder);
    }
    // The listener may have been called at `until` before all events of that instant were handled.
    while (technique.next_event() <= until) technique.advance(until, recorder);
  };
  for (const Time instant : instants) {
    while (next < script.size() && script[next].at <= instant) {
      run_to(script[next].at);
      act(technique, script[next++]);
    }
    run_to(instant);
    result += text(technique.statistics()) + "\n";
  }
  return result;
}

class StepsOfAnySize : public testing::TestWithParam<std::string> {};

TEST_P(StepsOfAnySize, GiveTheSameResults) {
  for (std::uint64_t seed = 1000; seed < 1000 + random_cases(400); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_long_parameters(random, GetParam());
    const std::vector<Action> script = random_long_script(random, p);
    std::vector<Time> instants;
    for (int k = 0; k < 6; ++k)
      instants.push_back(picoseconds(static_cast<std::int64_t>(random.below(40'000))));
    instants.push_back(picoseconds(100'000));
    std::sort(instants.begin(), instants.end());
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const auto small = TechniqueRegistration::make(p.technique, p);
    Recorder recorder(script.size()), expected(script.size());
    EXPECT_EQ(history(*technique, script, instants, false, recorder),
              history(*small, script, instants, true, expected))
        << "seed " << seed;
    EXPECT_EQ(recorder.order, expected.order) << "seed " << seed;
    ASSERT_EQ(recorder.outcomes, expected.outcomes) << "seed " << seed;
  }
}

/// Delays of real switches, with periods that are long or short compared with them.
SwitchParameters random_real_parameters(Random& random, const std::string& technique) {
  const auto any_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random.below(sizeof...(values))];
  };
  SwitchParameters p;
  const char* const kPresets[] = {"ch4", "ch5", "ch8"};
  apply_preset(kPresets[random.below(3)], p, true);
  p.technique = technique;
  p.nodes = any_of(2U, 3U, 5U, 8U, 70U);
  p.slots = any_of(1U, 2U, 3U, 4U);
  const std::vector<std::string_view> allocations = registered_names("allocation");
  std::vector<std::string_view> predictors = registered_names("predictor");
  std::erase(predictors, "oracle");  // it needs all sends in advance
  p.allocation = allocations[random.below(allocations.size())];
  p.predictor = predictors[random.below(predictors.size())];
  p.predictor_timeout = any_of(nanoseconds(50), microseconds(2), microseconds(100));
  p.guard = any_of(nanoseconds(0), nanoseconds(13));
  p.reconfiguration = any_of(nanoseconds(0), nanoseconds(15));
  p.slot_length = any_of(nanoseconds(100), nanoseconds(200), nanoseconds(333));
  p.buffer = any_of(kUnlimited, Bytes{8}, Bytes{64}, Bytes{128}, Bytes{2048}, Bytes{8192});
  p.flit = 8;
  p.worm_limit = any_of(Bytes{8}, Bytes{80}, Bytes{128});
  p.worm_overhead_words = any_of(0U, 1U, 2U);
  p.word_generation = any_of(nanoseconds(2), nanoseconds(10), nanoseconds(12), nanoseconds(25));
  p.scheduler = {any_of(nanoseconds(10), nanoseconds(20), nanoseconds(80)), any_of(0U, 1U, 2U)};
  p.nic = {any_of(nanoseconds(2), nanoseconds(10)), any_of(0U, 1U, 2U)};
  p.cable = any_of(nanoseconds(2), nanoseconds(20), nanoseconds(100), nanoseconds(1000));
  p.misses_use_worms = random.below(2) == 0;
  p.evicts_at_once = random.below(2) == 0;
  p.packet_plane = any_of(0.0, 0.0, 0.1, 0.5);
  p.sla_shares_time = any_of(false, true);
  return p;
}

/// Up to five messages, some of them long, some at once, some from one node; sometimes with preloaded
/// circuits.
std::vector<Action> random_real_script(Random& random, const SwitchParameters& p) {
  std::vector<Action> script;
  const auto any_time = [&](std::uint64_t range) {
    return nanoseconds(static_cast<std::int64_t>(random.below(range)));
  };
  const auto any_connection = [&] {
    const auto source = static_cast<Port>(random.below(std::min(p.nodes, 6U)));
    const auto hop = 1 + random.below(p.nodes - 1);
    return Connection{source, static_cast<Port>((source + hop) % p.nodes)};
  };
  const std::uint64_t count = 1 + random.below(5);
  const std::uint64_t range = random.below(2) == 0 ? 1 : 100'000;
  Configuration circuits(p.nodes);
  for (std::uint64_t k = 0; k < count; ++k) {
    const Connection c = any_connection();
    if (random.below(2) == 0 && circuits.fits(c)) circuits.add(c);
    const Bytes bytes = random.below(3) == 0 ? random.below(600) : 8 * (200 + random.below(4000));
    script.push_back({Action::What::send, any_time(range), {0, c, bytes}, 0, {}, kNoPort});
  }
  if (random.below(8) == 0) script.push_back({Action::What::flush, any_time(100'000), {}, 0, {}, kNoPort});
  std::sort(script.begin(), script.end(), [](const Action& x, const Action& y) { return x.at < y.at; });
  std::uint64_t id = 0;
  for (Action& action : script)
    if (action.what == Action::What::send) action.message.id = id++;
  if (random.below(2) == 0)
    script.insert(script.begin(), {Action::What::preload, {}, {}, 0, circuits, kNoPort});
  return script;
}

TEST_P(LongMessages, GiveTheSameResultsWithoutSkippedPeriods) {
  std::uint64_t handled = 0, all = 0;
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    Random random(seed);
    const SwitchParameters p = random_real_parameters(random, GetParam());
    const std::vector<Action> script = random_real_script(random, p);
    std::vector<Time> instants;
    for (int k = 0; k < 4; ++k)
      instants.push_back(picoseconds(static_cast<std::int64_t>(random.below(500'000'000))));
    instants.push_back(milliseconds(60));
    std::sort(instants.begin(), instants.end());
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const auto plain = TechniqueRegistration::make(p.technique, p);
    dynamic_cast<Engine&>(*plain).disable_period_skipping();
    Recorder recorder(script.size()), expected(script.size());
    EXPECT_EQ(history(*technique, script, instants, false, recorder),
              history(*plain, script, instants, false, expected))
        << "seed " << seed;
    EXPECT_EQ(recorder.order, expected.order) << "seed " << seed;
    ASSERT_EQ(recorder.outcomes, expected.outcomes) << "seed " << seed;
    handled += dynamic_cast<Engine&>(*technique).events_handled();
    all += dynamic_cast<Engine&>(*plain).events_handled();
  }
  EXPECT_LT(handled, all);
}

/// Without delays of wires and NICs, effects follow at the same instant as their causes.
TEST_P(LongMessages, GiveTheSameResultsWithoutWires) {
  std::uint64_t handled = 0, all = 0;
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    SwitchParameters p = random.below(2) == 0 ? random_parameters(random, GetParam())
                                              : random_long_parameters(random, GetParam());
    p.serialise = p.cable = p.deserialise = Time{};
    if (random.below(2) == 0) p.nic.latency = 0;
    const std::vector<Action> script =
        random.below(2) == 0 ? random_script(random, p) : random_long_script(random, p);
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const auto plain = TechniqueRegistration::make(p.technique, p);
    dynamic_cast<Engine&>(*plain).disable_period_skipping();
    const Recorder recorder = run_script(*technique, script, microseconds(1));
    const Recorder expected = run_script(*plain, script, microseconds(1));
    ASSERT_EQ(recorder.order, expected.order) << "seed " << seed;
    ASSERT_EQ(recorder.outcomes, expected.outcomes) << "seed " << seed;
    handled += dynamic_cast<Engine&>(*technique).events_handled();
    all += dynamic_cast<Engine&>(*plain).events_handled();
  }
  EXPECT_LT(handled, all);
}

/// The first words enter just before or after the previous message has left.
TEST_P(LongMessages, CanFollowAShortMessageClosely) {
  for (std::uint64_t seed = 0; seed < random_cases(40); ++seed) {
    for (std::int64_t gap = 0; gap < 60; gap += 2) {
      Random random(seed);
      SwitchParameters p = random_long_parameters(random, GetParam());
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

INSTANTIATE_TEST_SUITE_P(Techniques, LongMessages, testing::ValuesIn(techniques_of<TickedSwitch>()),
                         technique_test_name);
INSTANTIATE_TEST_SUITE_P(Techniques, StepsOfAnySize, testing::ValuesIn(user_techniques()),
                         technique_test_name);

/// The worked examples of docs/timing.md with a megabyte. Preset ch5: 8192 worms of 16 words, one per 240 ns;
/// a circuit without competing slots sends a word per 10 ns.
TEST(LongMessages, AgreeWithTheWorkedExamples) {
  const auto delivered = [](const char* name, Bytes bytes, bool lookahead = false) {
    SwitchParameters p;
    p.technique = name;
    p.worm_lookahead = lookahead;
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const std::vector<Action> script{{Action::What::send, {}, {0, {0, 1}, bytes}, 0, {}, kNoPort}};
    return run_script(*technique, script, milliseconds(100)).outcomes[0].delivered;
  };
  EXPECT_EQ(delivered("wormhole", 1 << 20), delivered("wormhole", 128) + nanoseconds(240) * 8191);
  // With look-ahead the worms follow each other without a gap.
  EXPECT_EQ(delivered("wormhole", 1 << 20, true), delivered("wormhole", 128) + nanoseconds(160) * 8191);
  EXPECT_EQ(delivered("tdm", 1 << 20), delivered("tdm", 8) + nanoseconds(10) * ((1 << 17) - 1));
}

/// Number of events handled for messages of these connections in an empty switch.
std::uint64_t events_for(const SwitchParameters& p, const std::vector<Connection>& connections, Bytes bytes) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  std::vector<Action> script;
  for (const Connection c : connections)
    script.push_back({Action::What::send, {}, {script.size(), c, bytes}, 0, {}, kNoPort});
  const Recorder recorder = run_script(*technique, script, milliseconds(1000));
  EXPECT_EQ(recorder.order.size(), connections.size());
  return dynamic_cast<const Engine&>(*technique).events_handled();
}

/// The cost of a message does not grow with its length, for any technique, queue and preset.
TEST(LongMessages, CostLittleMoreThanShortOnes) {
  for (const char* preset : {"ch4", "ch5", "ch8"}) {
    for (const char* name : {"wormhole", "circuit", "tdm", "hybrid"}) {
      for (const Bytes buffer : {kUnlimited, Bytes{8192}, Bytes{2048}, Bytes{128}}) {
        for (const char* predictor : {"timeout", "none"}) {
          SwitchParameters p;
          apply_preset(preset, p, true);
          p.technique = name;
          p.predictor = predictor;
          p.buffer = buffer;
          const std::uint64_t small = events_for(p, {{0, 1}}, 8 << 10);
          const std::uint64_t large = events_for(p, {{0, 1}}, 1 << 20);
          const std::uint64_t huge = events_for(p, {{0, 1}}, 64 << 20);
          const std::string where = std::string(preset) + " " + name + " " + predictor + " buffer " +
                                    (buffer == kUnlimited ? "unlimited" : std::to_string(buffer));
          EXPECT_LE(large, 24 * small) << where << ": " << small << " events for 8 KiB";
          EXPECT_LE(huge, 2 * large) << where << ": " << large << " events for 1 MiB";
        }
      }
    }
  }
}

/// Several messages at once: at different ports, and from one node (one after the other).
TEST(LongMessages, CostLittleMoreThanShortOnesTogether) {
  for (const char* name : {"wormhole", "circuit", "tdm", "hybrid"}) {
    for (const Bytes buffer : {kUnlimited, Bytes{2048}, Bytes{128}}) {
      SwitchParameters p;
      p.technique = name;
      p.buffer = buffer;
      for (const std::vector<Connection>& connections :
           {std::vector<Connection>{{0, 1}, {2, 3}}, std::vector<Connection>{{0, 1}, {1, 2}, {2, 0}},
            std::vector<Connection>{{0, 1}, {2, 1}}, std::vector<Connection>{{0, 1}, {0, 2}}}) {
        const std::uint64_t large = events_for(p, connections, 1 << 20);
        const std::uint64_t huge = events_for(p, connections, 8 << 20);
        EXPECT_LE(huge, 3 * large) << name << " buffer " << buffer << " " << connections.size() << " "
                                   << connections[1].source;
      }
    }
  }
}

/// The driver does not advance to each worm or slot of a long message.
TEST(LongMessages, TakeFewSteps) {
  for (const std::string& name : user_techniques()) {
    SwitchParameters p;
    p.technique = name;
    const auto technique = TechniqueRegistration::make(p.technique, p);
    Recorder recorder(1);
    technique->send({}, {0, {0, 1}, 1 << 20});
    int steps = 0;
    for (; recorder.order.empty(); ++steps) technique->advance(technique->next_event(), recorder);
    EXPECT_LT(steps, name == "hybrid" ? 1000 : 300) << name;
  }
}

}  // namespace
}  // namespace hybrid
