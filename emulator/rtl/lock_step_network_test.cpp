// The whole switch in RTL against the emulator (network_comparison.h), on random messages and on recorded
// jobs. Claim C17 in hardware.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "VFaultyCircuitNode.h"
#include "VFaultyHybridNic.h"
#include "VFaultySwitchNode.h"
#include "VFaultyWormholeNode.h"
#include "core/random.h"
#include "core/shell.h"
#include "core/temporary_directory.h"
#include "emulator/network/timeline.h"
#include "emulator/parameters.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "emulator/rtl/lock_step.h"
#include "emulator/rtl/network_comparison.h"
#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

constexpr Time kClock = RtlNetwork::kClock;

struct Network {
  RtlModels rtl;
  SwitchParameters p;
};

/// A registered switch and its parameters: preset ch5 with small queues.
Network network(const RtlDesign& design) {
  SwitchParameters p;
  p.technique = design.model;
  p.nodes = design.parameter("N");
  p.slots = design.parameter("K");
  // The allocation in RTL with this MODE.
  for (const RtlDesign& allocation : rtl_designs("allocation"))
    if (allocation.parameter("MODE") == design.parameter("MODE")) p.allocation = allocation.model;
  p.predictor = "timeout";
  p.demand_guard = false;
  p.buffer = Bytes{RtlNetwork::kDepth} * 8;
  if (p.technique == "hybrid") p.analog_fabric.latency = RtlNetwork::kFabric;
  return {design.models, p};
}
/// The first registered switch of this technique and size.
Network network(std::string_view technique, Port nodes) {
  for (const RtlDesign& design : rtl_designs("switch"))
    if (design.model == technique && design.parameter("N") == nodes) return network(design);
  throw std::logic_error(fmt::format("no switch {} with {} ports in RTL", technique, nodes));
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

void compare_networks(const RtlDesign& design, std::uint64_t clocks) {
  const Network compared_network = network(design);
  std::uint64_t compared = 0, delivered = 0, hits = 0, grants = 0;
  for (std::uint64_t seed = 1; compared < clocks && !testing::Test::HasFailure(); ++seed) {
    const Compared run = compare_random_run(compared_network, seed);
    if (!run.difference.empty()) ADD_FAILURE() << run.difference;
    compared += static_cast<std::uint64_t>(run.clocks);
    delivered += run.delivered;
    hits += run.hits;
    grants += run.grants;
  }
  EXPECT_GT(delivered, clocks / 50);
  EXPECT_EQ(hits > clocks / 500, design.model != "wormhole");
  EXPECT_EQ(grants > clocks / 500, design.model != "tdm");
}

class NetworkLockStep : public testing::TestWithParam<std::string_view> {
 protected:
  const RtlDesign design = *RtlDesignRegistration::make(GetParam());
};
TEST_P(NetworkLockStep, EqualsTheEmulator) { compare_networks(design, 15'000); }
TEST_P(NetworkLockStep, NightlyEqualsTheEmulator) { compare_networks(design, 10'000'000); }

std::vector<std::string_view> switch_names() {
  std::vector<std::string_view> names = registered_names(RtlDesign::kKind);
  std::erase_if(names, [](std::string_view name) { return !name.starts_with("switch/"); });
  return names;
}
INSTANTIATE_TEST_SUITE_P(Rtl, NetworkLockStep, testing::ValuesIn(switch_names()),
                         [](const auto& test) { return identifier(test.param); });

/// A design with a fault differs soon, first in `signal`, and the waveform is written.
void find_fault(Network network, const std::string& signal, RtlModels::Faults faults = {}) {
  network.rtl.faults = std::move(faults);
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
    for (const RtlDesign& design : rtl_designs("switch")) {
      const auto [rtl, p] = network(design);
      if (p.nodes != 16) continue;
      const std::vector<Action> script = trace_script(name, p, clocks);
      const Compared run =
          compare_runs(rtl, p, script, std::numeric_limits<std::int32_t>::max(), p.technique + "_" + name);
      if (!run.difference.empty()) ADD_FAILURE() << run.difference;
      EXPECT_EQ(run.delivered, script.size()) << name;
    }
  }
}

/// Faults within a block: CMakeLists.txt.
TEST(LockStep, FindsFaultsOfNetworks) {
  const Network tdm = network("tdm", 4), worms = network("wormhole", 4), circuit = network("circuit", 4),
                hybrid = network("hybrid", 4);
  const auto with_node = [](Network good, RtlModels::Make* node) {
    good.rtl.node = node;
    return good;
  };
  find_fault(with_node(tdm, &VerilatedRtlBlock<VFaultySwitchNode>::make), "granted");
  find_fault(with_node(worms, &VerilatedRtlBlock<VFaultyWormholeNode>::make), "request");
  find_fault(with_node(circuit, &VerilatedRtlBlock<VFaultyCircuitNode>::make), "connected");
  Network faulty_nic = hybrid;
  faulty_nic.rtl.nic = &VerilatedRtlBlock<VFaultyHybridNic>::make;
  find_fault(faulty_nic, "link of NIC");
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

}  // namespace
}  // namespace hybrid
