// The whole switch in RTL against the emulator (network_comparison.h), on random messages and on recorded
// jobs. Claim C17 in hardware.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "VCircuitNic16.h"
#include "VCircuitNic32.h"
#include "VCircuitNic4.h"
#include "VCircuitNic8.h"
#include "VCircuitNode16.h"
#include "VCircuitNode32.h"
#include "VCircuitNode4.h"
#include "VCircuitNode8.h"
#include "VFaultyCircuitNode.h"
#include "VFaultyHybridNic.h"
#include "VFaultySwitchNode.h"
#include "VFaultyWormholeNode.h"
#include "VHybridNic16.h"
#include "VHybridNic32.h"
#include "VHybridNic4.h"
#include "VHybridNic8.h"
#include "VHybridNode16.h"
#include "VHybridNode32.h"
#include "VHybridNode4.h"
#include "VHybridNode8.h"
#include "VNic16.h"
#include "VNic32.h"
#include "VNic4.h"
#include "VNic8.h"
#include "VSwitchNode16.h"
#include "VSwitchNode32.h"
#include "VSwitchNode4.h"
#include "VSwitchNode8.h"
#include "VWormNic16.h"
#include "VWormNic32.h"
#include "VWormNic4.h"
#include "VWormNic8.h"
#include "VWormholeNode16.h"
#include "VWormholeNode32.h"
#include "VWormholeNode4.h"
#include "VWormholeNode8.h"
#include "core/random.h"
#include "core/shell.h"
#include "core/temporary_directory.h"
#include "emulator/network/timeline.h"
#include "emulator/parameters.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "emulator/rtl/network_comparison.h"
#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

constexpr Time kClock = RtlNetwork::kClock;

struct Network {
  RtlModels rtl;
  SwitchParameters p;
};

/// Models and their parameters: preset ch5 with small queues.
template <class Node, class Nic>
Network network(const std::string& technique, Port nodes, std::uint32_t slots,
                const std::string& allocation) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = nodes;
  p.slots = slots;
  p.allocation = allocation;
  p.predictor = "timeout";
  p.demand_guard = false;
  p.buffer = Bytes{RtlNetwork::kDepth} * 8;
  if (technique == "hybrid") p.analog_fabric.latency = RtlNetwork::kFabric;
  return {kRtlModels<Node, Nic>, p};
}

/// Four of each technique, by ascending number of ports.
std::vector<Network> networks() {
  return {network<VSwitchNode4, VNic4>("tdm", 4, 2, "none"),
          network<VSwitchNode8, VNic8>("tdm", 8, 4, "ses"),
          network<VSwitchNode16, VNic16>("tdm", 16, 4, "ses"),
          network<VSwitchNode32, VNic32>("tdm", 32, 4, "ses"),
          network<VWormholeNode4, VWormNic4>("wormhole", 4, 1, "ses"),
          network<VWormholeNode8, VWormNic8>("wormhole", 8, 1, "ses"),
          network<VWormholeNode16, VWormNic16>("wormhole", 16, 1, "ses"),
          network<VWormholeNode32, VWormNic32>("wormhole", 32, 1, "ses"),
          network<VCircuitNode4, VCircuitNic4>("circuit", 4, 1, "ses"),
          network<VCircuitNode8, VCircuitNic8>("circuit", 8, 1, "ses"),
          network<VCircuitNode16, VCircuitNic16>("circuit", 16, 1, "ses"),
          network<VCircuitNode32, VCircuitNic32>("circuit", 32, 1, "ses"),
          network<VHybridNode4, VHybridNic4>("hybrid", 4, 2, "preempt"),
          network<VHybridNode8, VHybridNic8>("hybrid", 8, 4, "sla"),
          network<VHybridNode16, VHybridNic16>("hybrid", 16, 4, "ses"),
          network<VHybridNode32, VHybridNic32>("hybrid", 32, 4, "ses")};
}

/// Sends and, with slots, preloads and flushes at random, from a few to more than the network can carry.
std::vector<Action> random_actions(Random& random, const SwitchParameters& p, std::int64_t clocks) {
  std::vector<Action> script;
  std::int64_t command = 0;  // earliest clock of the next preload or flush: one in a cycle of the scheduler
  std::uint64_t id = 0;
  const std::uint64_t load = 1 + random.below(60), partners = 1 + random.below(p.nodes - 1);
  const bool commands = random.below(2) == 0 && RtlNetwork(p).has_slots;
  for (std::int64_t clock = 0; clock < clocks; ++clock) {
    const Time at = kClock * clock;
    if (commands && clock >= command && random.below(300) == 0) {
      Action action{Action::What::preload,  at,     {}, static_cast<std::uint32_t>(random.below(p.slots)),
                    Configuration(p.nodes), kNoPort};
      if (random.below(3) == 0) {
        action.what = Action::What::flush;
        if (random.below(3) != 0) action.source = static_cast<Port>(random.below(p.nodes));
      } else if (random.below(4) != 0) {
        for (Port u = 0; u < p.nodes; ++u) {
          const Connection c{u, static_cast<Port>((u + 1 + random.below(p.nodes - 1)) % p.nodes)};
          if (random.below(3) != 0 && action.configuration.fits(c)) action.configuration.add(c);
        }
      }
      script.push_back(action);
      command = clock + 9;
    }
    for (Port u = 0; u < p.nodes; ++u) {
      if (random.below(1000) >= load) continue;
      const auto to = static_cast<Port>((u + 1 + random.below(partners)) % p.nodes);
      const Bytes bytes = random.below(5) == 0 ? random.below(1200) : random.below(100);
      script.push_back(Action::send(at, id++, {u, to}, bytes));
    }
  }
  return script;
}

/// Random parameters and messages, number `seed`.
Compared compare_random_run(Network network, std::uint64_t seed) {
  SwitchParameters& p = network.p;
  Random random(seed * 100 + p.nodes);
  p.predictor_timeout =
      kClock * static_cast<std::int64_t>(1 + random.below(random.below(2) == 0 ? 30 : 1000));
  if (random.below(2) == 0) p.guard = kClock * static_cast<std::int64_t>(random.below(3));
  if (random.below(2) == 0) p.reconfiguration = kClock * static_cast<std::int64_t>(random.below(6));
  p.slot_length = p.guard + p.reconfiguration + kClock * static_cast<std::int64_t>(1 + random.below(20));
  if (RtlNetwork(p).has_worms) {
    p.worm_limit = 8 * (1 + random.below(20));
    p.worm_overhead_words = static_cast<std::uint32_t>(random.below(3));
  }
  if (p.allocation == "sla")
    p.wormhole_slot_length = kClock * static_cast<std::int64_t>(12 + random.below(40));
  const std::vector<Action> script = random_actions(random, p, 2000);
  // Without slots all messages are delivered.
  const std::int64_t most = RtlNetwork(p).has_slots ? 10'000 : std::numeric_limits<std::int32_t>::max();
  return compare_runs(network.rtl, p, script, most, fmt::format("{}_{}_{}", p.technique, p.nodes, seed));
}

void compare_networks(const std::string& technique, std::uint64_t clocks) {
  for (const Network& network : networks()) {
    if (network.p.technique != technique) continue;
    std::uint64_t compared = 0, delivered = 0, hits = 0, grants = 0;
    for (std::uint64_t seed = 1; compared < clocks && !testing::Test::HasFailure(); ++seed) {
      const Compared run = compare_random_run(network, seed);
      if (!run.difference.empty()) ADD_FAILURE() << run.difference;
      compared += static_cast<std::uint64_t>(run.clocks);
      delivered += run.delivered;
      hits += run.hits;
      grants += run.grants;
    }
    SCOPED_TRACE(fmt::format("{}, {} ports", technique, network.p.nodes));
    EXPECT_GT(delivered, clocks / 50);
    EXPECT_EQ(hits > clocks / 500, technique != "wormhole");
    EXPECT_EQ(grants > clocks / 500, technique != "tdm");
  }
}

/// A design with a fault differs soon, first in `signal`, and the waveform is written.
void find_fault(Network network, const std::string& signal, RtlModels::Faults faults = {}) {
  network.rtl.faults = faults;
  Compared run{};
  for (std::uint64_t seed = 1; seed <= 20 && run.difference.empty(); ++seed)
    run = compare_random_run(network, seed);
  EXPECT_NE(run.difference.find(", signal " + signal), std::string::npos)
      << network.p.technique << ", " << signal << ", found: " << run.difference;
  if (!run.difference.empty()) {
    EXPECT_GT(std::filesystem::file_size(run.waveform), 0U);
  }
}

/// The messages of a recorded job, at the times of its replay, each at the next clock; the first one at 0.
class SentMessages : public PortTimeline {
 public:
  void offered(Time from, std::uint32_t /*transfer*/, const Message& message) override {
    sent_.emplace_back(next_edge(from, kClock), message);
  }
  std::vector<Action> script(std::int64_t clocks) {
    std::sort(sent_.begin(), sent_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.id) < std::pair(b.first, b.second.id);
    });
    std::vector<Action> script;
    for (const auto& [time, message] : sent_)
      if (const Time at = time - sent_.front().first; RtlNetwork::clocks(at) < clocks)
        script.push_back(Action::send(at, script.size(), message.connection, message.bytes));
    return script;
  }

 private:
  std::vector<std::pair<Time, Message>> sent_;
};

/// The messages of the first `clocks` of a trace under examples/traces.
std::vector<Action> trace_script(const std::string& name, const SwitchParameters& p, std::int64_t clocks) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(unpack(fmt::format("{}/{}-16.tar.xz", HYBRID_TRACES, name), directory.path()));
  SentMessages sent;
  ReplayOptions options;
  options.timeline = &sent;
  replay(*open_trace(fmt::format("{}/{}-16", directory.path(), name)), p, options);
  std::vector<Action> script = sent.script(clocks);
  EXPECT_GT(script.size(), 100U) << name;
  return script;
}

void compare_traces(std::initializer_list<const char*> names, std::int64_t clocks) {
  for (const std::string name : names) {
    for (const auto& [rtl, p] : networks()) {
      if (p.nodes != 16) continue;
      const std::vector<Action> script = trace_script(name, p, clocks);
      const Compared run =
          compare_runs(rtl, p, script, std::numeric_limits<std::int32_t>::max(), p.technique + "_" + name);
      if (!run.difference.empty()) ADD_FAILURE() << run.difference;
      EXPECT_EQ(run.delivered, script.size()) << name;
    }
  }
}

TEST(LockStep, Network) { compare_networks("tdm", 15'000); }
TEST(LockStep, WormholeNetwork) { compare_networks("wormhole", 15'000); }

/// Faults within a block: CMakeLists.txt.
TEST(LockStep, FindsFaultsOfNetworks) {
  const std::vector<Network> all = networks();
  const Network &tdm = all[0], &worms = all[4], &circuit = all[8], &hybrid = all[12];
  find_fault({kRtlModels<VFaultySwitchNode, VNic4>, tdm.p}, "granted");
  find_fault({kRtlModels<VFaultyWormholeNode, VWormNic4>, worms.p}, "request");
  find_fault({kRtlModels<VFaultyCircuitNode, VCircuitNic4>, circuit.p}, "connected");
  find_fault({kRtlModels<VHybridNode4, VFaultyHybridNic>, hybrid.p}, "link of NIC");
  find_fault(tdm, "accepted by NIC", {.nic = [](auto& nic) { nic.accepted = 0; }});
  find_fault(tdm, "request of NIC", {.nic = [](auto& nic) { nic.request = 0; }});
  find_fault(tdm, "release_ of NIC", {.nic = [](auto& nic) { nic.release_ = 0; }});
  find_fault(tdm, "lost", {.node = [](auto& node) { node.lost = 0; }});
  find_fault(tdm, "established", {.node = [](auto& node) { node.established = 0; }});
  find_fault(tdm, "connected", {.node = [](auto& node) { node.connection = 0; }});
  find_fault(tdm, "visible", {.node = [](auto& node) { node.visible = 0; }});
  find_fault(tdm, "slot", {.node = [](auto& node) { node.slot = 0; }});
  find_fault(tdm, "in_table of NIC", {.nic = [](auto& nic) { nic.in_table = 0; }});
  find_fault(tdm, "link of NIC", {.nic = [](auto& nic) { nic.sends = 0; }});
  find_fault(worms, "output", {.node = [](auto& node) { node.out = 0; }});
  find_fault(worms, "grant", {.node = [](auto& node) { node.grant = 0; }});
  find_fault(hybrid, "waits of NIC", {.nic = [](auto& nic) { nic.waits = 0; }});
  find_fault(hybrid, "link_to of NIC", {.nic = [](auto& nic) { nic.link_to = 0; }});
  find_fault(worms, "sends, to", {.node = [](auto& node) { node.to = 0; }});
  find_fault(circuit, "request of NIC", {.nic = [](auto& nic) { nic.request = 0; }});
  find_fault(circuit, "release_ of NIC", {.nic = [](auto& nic) { nic.release_ = 0; }});
  find_fault(circuit, "held of NIC", {.nic = [](auto& nic) { nic.held = 0; }});
  find_fault(circuit, "granted", {.node = [](auto& node) { node.granted = 0; }});
}
TEST(LockStep, NetworksOnARecordedJob) { compare_traces({"is"}, 100'000); }
TEST(LockStep, NightlyNetworksOnRecordedJobs) {
  compare_traces({"bt", "cg", "ft", "is", "lu", "mg", "sp"}, std::numeric_limits<std::int32_t>::max());
}
TEST(LockStep, NightlyNetwork) { compare_networks("tdm", 10'000'000); }
TEST(LockStep, CircuitNetwork) { compare_networks("circuit", 15'000); }
TEST(LockStep, HybridNetwork) { compare_networks("hybrid", 15'000); }
TEST(LockStep, NightlyCircuitNetwork) { compare_networks("circuit", 10'000'000); }
TEST(LockStep, NightlyHybridNetwork) { compare_networks("hybrid", 10'000'000); }
TEST(LockStep, NightlyWormholeNetwork) { compare_networks("wormhole", 10'000'000); }

}  // namespace
}  // namespace hybrid
