// Results known without an emulator: saturation throughputs from queueing theory, and the latency of an
// unloaded switch as the sum of its components' delays.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/ticked/script.h"
#include "emulator/traffic/command_run.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

// The slotted switch of the theory: a worm is one word, which is one cell. The scheduler decides in every
// cell time, without delay.
SwitchParameters cell_switch(std::uint32_t nodes, const std::string& queues) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = nodes;
  p.worm_limit = p.word;
  p.word_generation = p.word_time();
  p.scheduler = {p.word_time(), 0};
  p.input_queues = queues;
  return p;
}

double saturation(const SwitchParameters& p, std::uint64_t messages) {
  TrafficOptions o;
  o.pattern = "uniform";
  o.message = p.word;
  o.messages = messages;
  o.warmup = microseconds(5);
  return simulate(p, o).accepted_load.value();
}

// Karol, Hluchyj, Morgan, "Input versus output queueing on a space-division packet switch" (1987): 2 -
// sqrt(2) for many ports, from above. Here no port sends to itself, which matters little from 64 ports on.
TEST(KnownResult, FifoInputQueuesSaturateAtTwoMinusRootTwo) {
  EXPECT_NEAR(saturation(cell_switch(64, "fifo"), 2000), 0.5858, 0.01);
  EXPECT_GT(saturation(cell_switch(8, "fifo"), 4000), 0.60);
}

// With two ports each port has one destination: no conflicts, no head-of-line blocking.
TEST(KnownResult, TwoPortsNeverWait) { EXPECT_NEAR(saturation(cell_switch(2, "fifo"), 4000), 1, 0.01); }

TEST(KnownResult, QueuesPerDestinationHaveNoHeadOfLineBlocking) {
  EXPECT_GT(saturation(cell_switch(32, "per-destination"), 2000), 0.9);
}

// All nodes send to one output, which carries an N-th part of the offered load.
TEST(KnownResult, AHotSpotTakesOneLink) {
  SwitchParameters p = cell_switch(16, "per-destination");
  TrafficOptions o;
  o.pattern = "hotspot";
  o.hotspot = 1;
  o.message = p.word;
  o.messages = 1000;
  const Measures m = simulate(p, o);
  const double to_hot = 15.0 * 1000 * 8 * 8 / (m.time.seconds() * static_cast<double>(p.link_rate));
  EXPECT_LE(to_hot, 1);
  EXPECT_GT(to_hot, 0.98);
}

// ch5. The 16 words of PE 0 hold output 1 from the edge at 160 until 400. Until then the word of PE 2 to PE 1
// waits at the head of its FIFO: granted 480, at PE 1 at 580. Behind it, the word to PE 3 requests when the
// tail is out, 490: edge 560, granted 640, delivered 740. In a separate queue it is granted at 240 and
// delivered at 340.
TEST(KnownResult, TheHeadOfTheLineBlocks) {
  for (const bool fifo : {true, false}) {
    SwitchParameters p;
    p.technique = "wormhole";
    p.nodes = 4;
    p.input_queues = fifo ? "fifo" : "per-destination";
    std::vector<CommandFile> files(4);
    files[0] = {"0", parse_commands("send 1 128", "0", 0, 4)};
    files[2] = {"2", parse_commands("send 1 8\nsend 3 8", "2", 2, 4)};
    const CommandResult result = run_commands(p, files);
    ASSERT_EQ(result.pes[1].arrivals.size(), 2u);
    EXPECT_EQ(result.pes[1].arrivals[1].arrived, nanoseconds(580));
    EXPECT_EQ(result.pes[3].arrivals.at(0).arrived, nanoseconds(fifo ? 740 : 340));
  }
}

/// Returns the delivery time of a message of `bytes` bytes, sent at `at` into an empty switch.
Time alone(const SwitchParameters& p, Time at, Bytes bytes, bool preloaded) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  std::vector<Action> script;
  if (preloaded) {
    Configuration configuration(p.nodes);
    configuration.add({0, 1});
    script.push_back({Action::What::preload, Time{}, {}, 0, configuration, kNoPort});
  }
  script.push_back({Action::What::send, at, {0, {0, 1}, bytes}, 0, {}, kNoPort});
  return run_script(*technique, script, Time::never()).outcomes.at(0).delivered;
}

/// Delays of the components, and the times at which the words of a message enter the NIC.
struct Sum {
  explicit Sum(const SwitchParameters& params, Time at, std::int64_t words)
      : p(params), w(params.word_time()), nic(params.nic.delay()), wire(params.one_way_wire()) {
    for (std::int64_t i = 0; i < words; ++i) ready.push_back(at + p.word_generation * (i + 1) + nic);
  }
  /// Starts the words in order, `spacing` apart, none before `from`, in windows [begin + k every, + length)
  /// with k >= 0. A word starts and ends in the same window.
  static void serve(std::vector<Time>& words, Time spacing, Time from) {
    for (Time& t : words) from = (t = std::max(t, from)) + spacing;
  }
  static void serve(std::vector<Time>& words, Time spacing, Time begin, Time every, Time guard) {
    Time free = begin;
    for (Time& t : words) {
      t = std::max(t, free);
      const Time window = begin + every * ((t - begin) / every);
      t = std::max(t, window + guard);
      if (t + spacing > window + every) t = window + every + guard;
      free = t + spacing;
    }
  }
  /// As above for contiguous windows, each known `ahead` of its begin: a word that does not fit into the
  /// current window starts when the next window is known.
  static void serve_on(std::vector<Time>& words, Time spacing, Time begin, Time every, Time guard,
                       Time ahead) {
    Time free = begin + guard;
    for (Time& t : words) {
      t = std::max(t, free);
      const Time end = begin + every * ((t - begin) / every + 1);
      if (t + spacing > end) t = std::max(t, end - ahead);
      free = t + spacing;
    }
  }
  const SwitchParameters& p;
  Time w, nic, wire;
  std::vector<Time> ready;  // when each word can leave the NIC
};

SwitchParameters unloaded(Random& random, const std::string& technique) {
  SwitchParameters p = random_parameters(random, technique);
  p.buffer = kUnlimited;
  p.allocation = "ses";
  p.predictor = "none";
  p.slots = 1;
  p.worm_limit = 64 * p.word;  // one worm per message
  return p;
}

/// Calls check(parameters, send time, payload words) with random arguments.
template <class Check>
void for_random_switches(const std::string& technique, Check&& check) {
  for (std::uint64_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    const SwitchParameters p = unloaded(random, technique);
    const Time at = picoseconds(1000 + static_cast<std::int64_t>(random.below(200)));
    check(p, at, static_cast<std::int64_t>(1 + random.below(20)));
  }
}

// Packet switching is wormhole switching with flits of a whole worm.
TEST(ZeroLoadSum, WormsAreTheSumOfTheirComponents) {
  for (const char* technique : {"wormhole", "packet"})
    for_random_switches(technique, [](const SwitchParameters& p, Time at, std::int64_t payload) {
      Sum s(p, at, payload + p.worm_overhead_words);
      Sum::serve(s.ready, s.w, Time{});
      const std::size_t words = s.ready.size();
      const std::size_t flit = p.technique == "packet" ? words : std::min<Bytes>(p.flit / p.word, words);
      const Time granted = next_edge(s.ready[flit - 1] + s.wire, p.scheduler.cycle) + p.scheduler.delay();
      for (Time& t : s.ready) t += s.wire;
      Sum::serve(s.ready, std::max(s.w, p.digital_fabric.cycle), granted);
      EXPECT_EQ(alone(p, at, p.word * static_cast<Bytes>(payload), false),
                s.ready.back() + p.digital_fabric.delay() + s.wire + s.nic)
          << p.technique;
    });
}

Time point_to_point(const SwitchParameters& p) {
  return p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise;
}

TEST(ZeroLoadSum, CircuitIsTheSumOfItsComponents) {
  for_random_switches("circuit", [](const SwitchParameters& p, Time at, std::int64_t payload) {
    Sum s(p, at, payload);
    const Time request = at + p.word_generation + s.nic + s.wire;
    const Time grant =
        next_edge(request, p.scheduler.cycle) + p.scheduler.delay() + p.reconfiguration + s.wire;
    Sum::serve(s.ready, s.w, grant);
    EXPECT_EQ(alone(p, at, p.word * static_cast<Bytes>(payload), false),
              s.ready.back() + point_to_point(p) + s.nic);
  });
}

// The slot of the connection is the only one in use: slots are contiguous, each a guard followed by words.
TEST(ZeroLoadSum, PreloadedCircuitsAreTheSumOfTheirComponents) {
  for (const char* technique : {"tdm", "hybrid"})
    for_random_switches(technique, [](const SwitchParameters& p, Time at, std::int64_t payload) {
      Sum s(p, at, payload);
      Sum::serve(s.ready, s.w, s.wire, p.slot_length, p.guard);
      EXPECT_EQ(alone(p, at, p.word * static_cast<Bytes>(payload), true),
                s.ready.back() + point_to_point(p) + s.nic);
    });
}

/// Returns when the NIC knows the circuit of a message whose first control word leaves the NIC at
/// `requested`.
Time set_up(const SwitchParameters& p, Time requested) {
  const Time wire = p.one_way_wire(), through = wire + p.digital_fabric.delay() + wire;
  if (p.technique == "coll")  // RTS, the receiver's NIC, CTS, which sets the fabric
    return requested + through + p.nic.delay() + through + p.reconfiguration;
  const Time reserved =
      next_edge(requested + wire, p.scheduler.cycle) + p.scheduler.delay() + p.reconfiguration;
  if (p.technique == "wave") return reserved + wire;
  return reserved + p.digital_fabric.delay() + wire + p.nic.delay() +
         through;  // then to the receiver and back
}

TEST(ZeroLoadSum, CircuitsOnTheirShareOfTheLinkAreTheSumOfTheirComponents) {
  for (const char* technique : {"wave", "coll", "chen-liu"})
    for_random_switches(technique, [](const SwitchParameters& params, Time at, std::int64_t payload) {
      SwitchParameters p = params;
      p.split_size = 0;  // all messages request a circuit
      if (p.technique != "wave") p.circuit_channels = 1;
      Sum s(p, at, payload);
      Sum::serve(s.ready, time_on_link(p.word, split_rates(p).channel),
                 set_up(p, at + p.word_generation + s.nic));
      EXPECT_EQ(alone(p, at, p.word * static_cast<Bytes>(payload), false),
                s.ready.back() + point_to_point(p) + s.nic)
          << p.technique;
    });
}

// Unpredicted traffic: Q_W, VQ_W, and S_W, which begins with the first slot after the worm's request and
// continues without gaps.
TEST(ZeroLoadSum, TheHybridSwitchsWormsAreTheSumOfTheirComponents) {
  for_random_switches("hybrid", [](const SwitchParameters& params, Time at, std::int64_t payload) {
    SwitchParameters p = params;
    p.reconfiguration = Time{};
    Sum s(p, at, payload + p.worm_overhead_words);
    Sum::serve(s.ready, s.w, Time{});
    const auto flit = static_cast<std::size_t>(std::min<Bytes>(p.flit / p.word, s.ready.size()));
    const Time requested = s.ready[flit - 1] + s.wire;
    const Time granted = next_edge(requested, p.scheduler.cycle) + p.scheduler.delay();
    const Time open = next_edge(requested, p.slot_length) + s.wire + p.serialise + p.cable;
    for (Time& t : s.ready) t = std::max(t + s.wire, granted);
    const Time skew = s.wire + p.serialise + p.cable;
    Sum::serve_on(s.ready, s.w, open, p.slot_length, p.guard, skew);
    EXPECT_EQ(alone(p, at, p.word * static_cast<Bytes>(payload), false),
              s.ready.back() + p.analog_fabric.delay() + s.wire + s.nic);
  });
}

}  // namespace
}  // namespace hybrid
