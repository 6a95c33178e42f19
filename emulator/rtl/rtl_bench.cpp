// The C++ models and the RTL under Verilator on the same passes; the emulator and the whole switch in RTL on
// the same messages; and the share of the serial line's bytes that the protocol uses. docs/hardware.md has
// the times of the models beside those of the FPGA.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "emulator/device/serial_device.h"
#include "emulator/rtl/fpga_twin.h"
#include "emulator/rtl/lock_step.h"
#include "emulator/rtl/rtl_level_wise.h"
#include "emulator/rtl/rtl_switch.h"
#include "emulator/scheduler/testing/slots.h"
#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

/// A pass over an empty slot with a tenth of all connections requested.
void one_pass(benchmark::State& state, const std::string& scheduler, std::uint32_t ports) {
  Random random(ports);
  const SlotState slots = random_slots(ports, 1, 10, random);
  const auto one_slot = make_one_slot_scheduler(scheduler, {ports});
  const SchedulingPass in = slots.pass(0);
  for (auto _ : state) benchmark::DoNotOptimize(one_slot->pass(in).data());
}

/// All requests of a permutation of the nodes of FT(3, w, w). `clocks`: of the hardware.
void permutation(benchmark::State& state, const std::string& scheduler, std::uint32_t width) {
  const auto tree = SchedulerRegistration::make(scheduler)->fat_tree({3, width, width}, 1);
  const std::uint32_t nodes = width * width * width;
  Random random(width);
  std::vector<Connection> requests(nodes);
  std::vector<Port> destinations(nodes);
  std::iota(destinations.begin(), destinations.end(), Port{0});
  for (Port u = nodes; u > 0; --u) {
    std::swap(destinations[u - 1], destinations[random.below(u)]);
    requests[u - 1] = {u - 1, destinations[u - 1]};
  }
  std::vector<TreePath> paths(nodes);
  for (auto _ : state) benchmark::DoNotOptimize(tree->schedule(requests, paths));
  if (const auto* const rtl = dynamic_cast<const RtlTreeScheduler*>(tree.get()))
    state.counters["clocks"] = static_cast<double>(rtl->clocks());
}

/// 32 NICs send messages of up to 1000 bytes to four partners each, one in 100 clocks, for 5000 clocks.
SwitchParameters switch_parameters(const std::string& technique) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = 32;
  p.demand_guard = false;
  if (technique == "hybrid") p.analog_fabric.latency = RtlNetwork::kFabric;
  p.buffer = RtlNetwork::kDepth * p.word;
  return p;
}
std::vector<Action> switch_script(const SwitchParameters& p) {
  Random random(1);
  std::vector<Action> script;
  for (std::int64_t clock = 0; clock < 5000; ++clock)
    for (Port u = 0; u < p.nodes; ++u)
      if (random.below(100) == 0)
        script.push_back(Action::send(RtlNetwork::kClock * clock, script.size(),
                                      {u, static_cast<Port>((u + 1 + random.below(4)) % p.nodes)},
                                      random.below(1000)));
  return script;
}

/// Counts messages, as verilated_switch() counts words. It does not ask for their injections, which the PEs
/// of the RTL do not report.
struct Deliveries final : TransferListener {
  void injected(Time /*at*/, const Message& /*message*/) override {}
  void delivered(Time /*at*/, const Message& /*message*/, bool /*hit*/) override { ++count; }
  std::size_t count = 0;
};

void emulated_switch(benchmark::State& state, const std::string& name) {
  const SwitchParameters p = switch_parameters(name);
  const std::vector<Action> script = switch_script(p);
  for (auto _ : state) {
    const auto technique = TechniqueRegistration::make(p.technique, p);
    technique->disable_injection_reports();
    Deliveries deliveries;
    for (std::size_t next = 0; deliveries.count < script.size();) {
      const Time at = technique->next_event();
      if (next < script.size() && script[next].at <= at) {
        technique->send(script[next].at, script[next].message);
        ++next;
      } else if (at == Time::never()) {
        return state.SkipWithError("a message was lost");
      } else {
        technique->advance(at, deliveries);
      }
    }
  }
}

void verilated_switch(benchmark::State& state, const std::string& technique) {
  const SwitchParameters p = switch_parameters(technique);
  std::vector<RtlDesign> designs = rtl_designs("switch");
  std::erase_if(designs, [&](const RtlDesign& design) {
    return design.model != technique || design.parameter("N") != p.nodes;
  });
  if (designs.empty()) return state.SkipWithError("no such switch in RTL");
  const std::vector<Action> script = switch_script(p);
  std::uint64_t words = 0;
  for (const Action& action : script)
    words += std::max<Bytes>(1, (action.message.bytes + p.word - 1) / p.word);
  for (auto _ : state) {
    RtlSwitch rtl(designs.front().models, p);
    std::size_t next = 0;
    for (std::uint64_t arrived = 0; arrived < words;) {
      for (; next < script.size() && rtl.clocks(script[next].at) == rtl.now(); ++next)
        rtl.send(script[next].message);
      rtl.clock();
      for (Port v = 0; v < p.nodes; ++v) arrived += rtl.output(v) != 0 ? 1 : 0;
    }
    state.counters["clocks"] = static_cast<double>(rtl.now());
  }
}
/// Bytes on the line for a request and its grant, `batch` of them between two passes of a full-duplex line.
void serial_line(benchmark::State& state) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  FpgaTwin twin;
  std::thread thread([&] { twin.run(); });
  {
    SerialDevice device(twin.path());
    const SerialDevice::Traffic before = device.traffic();
    std::uint64_t pairs = 0;
    for (auto _ : state) {
      for (const bool requested : {true, false}) {
        for (Port u = 0; u < batch; ++u) device.set_request({u, u}, requested);
        const std::size_t toggles = device.pass(0, {0, 0}).size();
        if (toggles != batch) state.SkipWithError("not all requests are granted");
        pairs += toggles;
      }
    }
    const SerialDevice::Traffic after = device.traffic();
    const auto bytes = static_cast<double>(after.sent_bytes - before.sent_bytes + after.received_bytes -
                                           before.received_bytes);
    state.counters["bytes_a_pair"] = bytes / static_cast<double>(pairs);
  }
  twin.stop();
  thread.join();
}
BENCHMARK(serial_line)->Arg(1)->Arg(4)->Arg(16)->Arg(64);

const int kRegistered = [] {
  for (const char* const technique : {"tdm", "wormhole", "circuit", "hybrid"}) {
    const std::string name = technique;
    benchmark::RegisterBenchmark(("emulated_switch/" + name).c_str(),
                                 [=](benchmark::State& state) { emulated_switch(state, name); });
    benchmark::RegisterBenchmark(("verilated_switch/" + name).c_str(),
                                 [=](benchmark::State& state) { verilated_switch(state, name); });
  }
  for (const char* const scheduler : {"greedy", "rtl:greedy"})
    for (const std::uint32_t ports : {4u, 8u, 16u, 32u, 64u, 128u})
      benchmark::RegisterBenchmark((std::string(scheduler) + "/" + std::to_string(ports)).c_str(),
                                   [=](benchmark::State& state) { one_pass(state, scheduler, ports); });
  for (const char* const scheduler : {"level-wise", "rtl:level-wise", "rtl:level-wise/two"})
    for (const std::uint32_t width : {4u, 8u, 16u})
      benchmark::RegisterBenchmark((std::string(scheduler) + "/" + std::to_string(width)).c_str(),
                                   [=](benchmark::State& state) { permutation(state, scheduler, width); });
  benchmark::RegisterBenchmark("rtl:level-wise/array/4", [](benchmark::State& state) {
    permutation(state, "rtl:level-wise/array", 4);
  });
  return 0;
}();

}  // namespace
}  // namespace hybrid
