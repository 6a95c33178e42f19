// Cost of the live scheduler: for a rank per send and per command, for the service per step and per command.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

#include "emulator/scheduler/model_port.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/service.h"

namespace hybrid {
namespace {

struct Host {
  explicit Host(std::uint32_t ranks) : world(ranks), ports(ranks), hosts(ranks, 0) {
    std::iota(world.begin(), world.end(), 0u);
    std::iota(ports.begin(), ports.end(), 0u);
    mapping = LiveMapping::create({world, ports, ranks, 1});
    mapping.unlink();
    SwitchParameters p;
    p.nodes = ranks;
    p.slots = 4;
    service = std::make_unique<OwningService>(*mapping.region(), clock,
                                              LiveArbiter(make_scheduler_port(p), ports, 0), hosts, ports,
                                              nullptr, std::span<const std::unique_ptr<MessageRing>>());
  }
  LiveClient client(std::uint32_t rank) { return {mapping.region(), rank}; }

  std::vector<std::uint32_t> world;
  std::vector<Port> ports;
  std::vector<std::uint32_t> hosts;
  LiveClock clock{
      [] { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); },
      1'000'000'000};
  LiveMapping mapping;
  std::unique_ptr<LiveService> service;
};

void BM_ClientCountSend(benchmark::State& state) {
  Host host(64);
  LiveClient client = host.client(1);
  Port to = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(client.count_send(to));
    to = (to + 1) & 63;
  }
}
BENCHMARK(BM_ClientCountSend);

/// A release, a request and a read of the row.
void BM_ClientRequestAndEstablished(benchmark::State& state) {
  Host host(64);
  LiveClient client = host.client(1);
  Port to = 0;
  for ([[maybe_unused]] auto _ : state) {
    client.release(to);
    to = (to + 1) & 63;
    client.request(to);
    benchmark::DoNotOptimize(client.established(to));
  }
}
BENCHMARK(BM_ClientRequestAndEstablished);

/// A step without commands, on a host with the given number of ranks.
void BM_ServiceIdleStep(benchmark::State& state) {
  Host host(static_cast<std::uint32_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) host.service->step();
}
BENCHMARK(BM_ServiceIdleStep)->Arg(4)->Arg(16)->Arg(64)->Arg(256);

/// Every rank requests one connection and releases its last one; one step executes all. Embedded model, 4
/// slots.
void BM_ServiceStepCommands(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  Host host(ranks);
  std::uint32_t shift = 1;
  for ([[maybe_unused]] auto _ : state) {
    const std::uint32_t next = shift % (ranks - 1) + 1;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      LiveClient client = host.client(r);
      client.release((r + shift) % ranks);
      client.request((r + next) % ranks);
    }
    host.service->step();
    shift = next;
  }
  state.SetItemsProcessed(state.iterations() * 2 * ranks);
}
BENCHMARK(BM_ServiceStepCommands)->Arg(4)->Arg(16)->Arg(64)->Arg(256);

}  // namespace
}  // namespace hybrid
