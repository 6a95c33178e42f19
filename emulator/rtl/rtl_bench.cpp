// The C++ models and the RTL under Verilator on the same passes; and the share of the serial line's bytes
// that the protocol uses. docs/hardware.md has the times of the models beside those of the FPGA.
#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "emulator/device/serial_device.h"
#include "emulator/rtl/fpga_twin.h"
#include "emulator/scheduler/testing/slots.h"

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

/// All requests of a permutation of the nodes of FT(3, w, w).
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
  for (const char* const scheduler : {"greedy", "rtl:greedy"})
    for (const std::uint32_t ports : {4u, 8u, 16u, 32u, 64u, 128u})
      benchmark::RegisterBenchmark((std::string(scheduler) + "/" + std::to_string(ports)).c_str(),
                                   [=](benchmark::State& state) { one_pass(state, scheduler, ports); });
  for (const char* const scheduler : {"level-wise", "rtl:level-wise"})
    for (const std::uint32_t width : {4u, 8u, 16u})
      benchmark::RegisterBenchmark((std::string(scheduler) + "/" + std::to_string(width)).c_str(),
                                   [=](benchmark::State& state) { permutation(state, scheduler, width); });
  return 0;
}();

}  // namespace
}  // namespace hybrid
