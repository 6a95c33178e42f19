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

/// The parameters of the RTL: preset ch5 with small queues.
SwitchParameters network_parameters(const std::string& technique, Port nodes, std::uint32_t slots,
                                    const std::string& allocation) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = nodes;
  p.slots = slots;
  p.allocation = allocation;
  p.predictor = "timeout";
  p.demand_guard = false;
  p.buffer = RtlNetwork::kDepth * 8;
  if (technique == "hybrid") p.analog_fabric.latency = 1;
  return p;
}

bool has_slots(const SwitchParameters& p) { return p.technique == "tdm" || p.technique == "hybrid"; }

/// Sends and, with slots, preloads and flushes at random, from a few to more than the network can carry.
std::vector<Action> random_actions(Random& random, const SwitchParameters& p, std::int64_t clocks) {
  std::vector<Action> script;
  std::int64_t command = 0;  // earliest clock of the next preload or flush: one in a cycle of the scheduler
  std::uint64_t id = 0;
  const std::uint64_t load = 1 + random.below(60), partners = 1 + random.below(p.nodes - 1);
  const bool commands = random.below(2) == 0 && has_slots(p);
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
template <class Node, class Nic>
Compared compare_random_run(SwitchParameters p, std::uint64_t seed,
                            const typename RtlSwitch<Node, Nic>::Faults& faults = {}) {
  Random random(seed * 100 + p.nodes);
  p.predictor_timeout =
      kClock * static_cast<std::int64_t>(1 + random.below(random.below(2) == 0 ? 30 : 1000));
  if (random.below(2) == 0) p.guard = kClock * static_cast<std::int64_t>(random.below(3));
  if (random.below(2) == 0) p.reconfiguration = kClock * static_cast<std::int64_t>(random.below(6));
  p.slot_length = p.guard + p.reconfiguration + kClock * static_cast<std::int64_t>(1 + random.below(20));
  if (p.technique == "wormhole" || p.technique == "hybrid") {
    p.worm_limit = 8 * (1 + random.below(20));
    p.worm_overhead_words = static_cast<std::uint32_t>(random.below(3));
  }
  if (p.allocation == "sla")
    p.wormhole_slot_length = kClock * static_cast<std::int64_t>(12 + random.below(40));
  const std::vector<Action> script = random_actions(random, p, 2000);
  // Without slots all messages are delivered.
  const std::int64_t most = has_slots(p) ? 10'000 : std::numeric_limits<std::int32_t>::max();
  return compare_runs<Node, Nic>(p, script, most, fmt::format("{}_{}_{}", p.technique, p.nodes, seed),
                                 faults);
}

template <class Node, class Nic>
void compare_network(const SwitchParameters& p, std::uint64_t clocks) {
  std::uint64_t compared = 0, delivered = 0, hits = 0, grants = 0;
  for (std::uint64_t seed = 1; compared < clocks && !testing::Test::HasFailure(); ++seed) {
    const Compared run = compare_random_run<Node, Nic>(p, seed);
    if (!run.difference.empty()) ADD_FAILURE() << run.difference;
    compared += static_cast<std::uint64_t>(run.clocks);
    delivered += run.delivered;
    hits += run.hits;
    grants += run.grants;
  }
  EXPECT_GT(delivered, clocks / 50) << p.technique << ", " << p.nodes << " ports";
  EXPECT_EQ(hits > clocks / 500, p.technique != "wormhole") << p.technique << ", " << p.nodes << " ports";
  EXPECT_EQ(grants > clocks / 500, p.technique != "tdm") << p.technique << ", " << p.nodes << " ports";
}

/// A design with a fault differs soon, first in `signal`, and the waveform is written.
template <class Node, class Nic>
void find_fault(const SwitchParameters& p, const std::string& signal,
                const typename RtlSwitch<Node, Nic>::Faults& faults = {}) {
  Compared run{};
  for (std::uint64_t seed = 1; seed <= 20 && run.difference.empty(); ++seed)
    run = compare_random_run<Node, Nic>(p, seed, faults);
  EXPECT_NE(run.difference.find(", signal " + signal), std::string::npos)
      << p.technique << ", " << signal << ", found: " << run.difference;
  if (!run.difference.empty()) {
    EXPECT_GT(std::filesystem::file_size(run.waveform), 0U);
  }
}

void compare_tdm_networks(std::uint64_t clocks) {
  compare_network<VSwitchNode4, VNic4>(network_parameters("tdm", 4, 2, "none"), clocks);
  compare_network<VSwitchNode8, VNic8>(network_parameters("tdm", 8, 4, "ses"), clocks);
  compare_network<VSwitchNode16, VNic16>(network_parameters("tdm", 16, 4, "ses"), clocks);
  compare_network<VSwitchNode32, VNic32>(network_parameters("tdm", 32, 4, "ses"), clocks);
}
void compare_worm_networks(std::uint64_t clocks) {
  compare_network<VWormholeNode4, VWormNic4>(network_parameters("wormhole", 4, 1, "ses"), clocks);
  compare_network<VWormholeNode8, VWormNic8>(network_parameters("wormhole", 8, 1, "ses"), clocks);
  compare_network<VWormholeNode16, VWormNic16>(network_parameters("wormhole", 16, 1, "ses"), clocks);
  compare_network<VWormholeNode32, VWormNic32>(network_parameters("wormhole", 32, 1, "ses"), clocks);
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

template <class Node, class Nic>
void compare_trace(const std::string& name, const SwitchParameters& p, std::int64_t clocks) {
  const std::vector<Action> script = trace_script(name, p, clocks);
  const Compared run =
      compare_runs<Node, Nic>(p, script, std::numeric_limits<std::int32_t>::max(), p.technique + "_" + name);
  if (!run.difference.empty()) ADD_FAILURE() << run.difference;
  EXPECT_EQ(run.delivered, script.size()) << name;
}

void compare_traces(std::initializer_list<const char*> names, std::int64_t clocks) {
  for (const char* const name : names) {
    compare_trace<VSwitchNode16, VNic16>(name, network_parameters("tdm", 16, 4, "ses"), clocks);
    compare_trace<VWormholeNode16, VWormNic16>(name, network_parameters("wormhole", 16, 1, "ses"), clocks);
    compare_trace<VCircuitNode16, VCircuitNic16>(name, network_parameters("circuit", 16, 1, "ses"), clocks);
    compare_trace<VHybridNode16, VHybridNic16>(name, network_parameters("hybrid", 16, 4, "ses"), clocks);
  }
}

void compare_hybrid_networks(std::uint64_t clocks) {
  compare_network<VHybridNode4, VHybridNic4>(network_parameters("hybrid", 4, 2, "preempt"), clocks);
  compare_network<VHybridNode8, VHybridNic8>(network_parameters("hybrid", 8, 4, "sla"), clocks);
  compare_network<VHybridNode16, VHybridNic16>(network_parameters("hybrid", 16, 4, "ses"), clocks);
  compare_network<VHybridNode32, VHybridNic32>(network_parameters("hybrid", 32, 4, "ses"), clocks);
}
void compare_circuit_networks(std::uint64_t clocks) {
  compare_network<VCircuitNode4, VCircuitNic4>(network_parameters("circuit", 4, 1, "ses"), clocks);
  compare_network<VCircuitNode8, VCircuitNic8>(network_parameters("circuit", 8, 1, "ses"), clocks);
  compare_network<VCircuitNode16, VCircuitNic16>(network_parameters("circuit", 16, 1, "ses"), clocks);
  compare_network<VCircuitNode32, VCircuitNic32>(network_parameters("circuit", 32, 1, "ses"), clocks);
}

TEST(LockStep, Network) { compare_tdm_networks(15'000); }
TEST(LockStep, WormholeNetwork) { compare_worm_networks(15'000); }

/// Faults within a block: CMakeLists.txt.
TEST(LockStep, FindsFaultsOfNetworks) {
  const auto tdm = network_parameters("tdm", 4, 2, "none"),
             hybrid = network_parameters("hybrid", 4, 2, "preempt");
  const auto worms = network_parameters("wormhole", 4, 1, "ses"),
             circuit = network_parameters("circuit", 4, 1, "ses");
  find_fault<VFaultySwitchNode, VNic4>(tdm, "granted");
  find_fault<VFaultyWormholeNode, VWormNic4>(worms, "request");
  find_fault<VFaultyCircuitNode, VCircuitNic4>(circuit, "connected");
  find_fault<VHybridNode4, VFaultyHybridNic>(hybrid, "link of NIC");
  find_fault<VSwitchNode4, VNic4>(tdm, "accepted by NIC", {.nic = [](auto& nic) { nic.accepted = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "request of NIC", {.nic = [](auto& nic) { nic.request = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "release_ of NIC", {.nic = [](auto& nic) { nic.release_ = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "lost", {.node = [](auto& node) { node.lost = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "established", {.node = [](auto& node) { node.established = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "connected", {.node = [](auto& node) { node.connection = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "visible", {.node = [](auto& node) { node.visible = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "slot", {.node = [](auto& node) { node.slot = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "in_table of NIC", {.nic = [](auto& nic) { nic.in_table = 0; }});
  find_fault<VSwitchNode4, VNic4>(tdm, "link of NIC", {.nic = [](auto& nic) { nic.sends = 0; }});
  find_fault<VWormholeNode4, VWormNic4>(worms, "output", {.node = [](auto& node) { node.out = 0; }});
  find_fault<VWormholeNode4, VWormNic4>(worms, "grant", {.node = [](auto& node) { node.grant = 0; }});
  find_fault<VHybridNode4, VHybridNic4>(hybrid, "waits of NIC", {.nic = [](auto& nic) { nic.waits = 0; }});
  find_fault<VHybridNode4, VHybridNic4>(hybrid, "link_to of NIC",
                                        {.nic = [](auto& nic) { nic.link_to = 0; }});
  find_fault<VWormholeNode4, VWormNic4>(worms, "sends, to", {.node = [](auto& node) { node.to = 0; }});
  find_fault<VCircuitNode4, VCircuitNic4>(circuit, "request of NIC",
                                          {.nic = [](auto& nic) { nic.request = 0; }});
  find_fault<VCircuitNode4, VCircuitNic4>(circuit, "release_ of NIC",
                                          {.nic = [](auto& nic) { nic.release_ = 0; }});
  find_fault<VCircuitNode4, VCircuitNic4>(circuit, "held of NIC", {.nic = [](auto& nic) { nic.held = 0; }});
  find_fault<VCircuitNode4, VCircuitNic4>(circuit, "granted", {.node = [](auto& node) { node.granted = 0; }});
}
TEST(LockStep, NetworksOnARecordedJob) { compare_traces({"is"}, 100'000); }
TEST(LockStep, NightlyNetworksOnRecordedJobs) {
  compare_traces({"bt", "cg", "ft", "is", "lu", "mg", "sp"}, std::numeric_limits<std::int32_t>::max());
}
TEST(LockStep, NightlyNetwork) { compare_tdm_networks(10'000'000); }
TEST(LockStep, CircuitNetwork) { compare_circuit_networks(15'000); }
TEST(LockStep, HybridNetwork) { compare_hybrid_networks(15'000); }
TEST(LockStep, NightlyCircuitNetwork) { compare_circuit_networks(10'000'000); }
TEST(LockStep, NightlyHybridNetwork) { compare_hybrid_networks(10'000'000); }
TEST(LockStep, NightlyWormholeNetwork) { compare_worm_networks(10'000'000); }

}  // namespace
}  // namespace hybrid
