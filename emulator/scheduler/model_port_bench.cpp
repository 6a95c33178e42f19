// The embedded scheduler as the emulator uses it: a stream of requests and releases, grants fetched as they
// come.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/random.h"
#include "emulator/scheduler/model_port.h"

namespace hybrid {
namespace {

/// Every port has one request open, releases it when granted, and then asks for the next destination.
void RequestGrantRelease(benchmark::State& state) {
  SwitchParameters p;
  p.nodes = static_cast<std::uint32_t>(state.range(0));
  p.slots = 4;
  p.scheduler = {nanoseconds(80), 1};
  const auto port = make_scheduler_port(p);
  std::vector<Grant> grants;
  Time now{};
  Random random(1);
  for (Port source = 0; source < p.nodes; ++source)
    port->request(now, {source, static_cast<Port>(random.below(p.nodes))});
  std::int64_t granted = 0;
  for (auto _ : state) {
    now = port->next_change();
    grants.clear();
    port->advance(now, grants);
    for (const Grant& g : grants) {
      if (g.kind == Grant::Kind::established) {
        ++granted;
        port->release(now, g.connection);
      } else {
        port->request(now, {g.connection.source, (g.connection.destination + 1) % p.nodes});
      }
    }
  }
  state.counters["grants/s"] = benchmark::Counter(static_cast<double>(granted), benchmark::Counter::kIsRate);
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(now / p.scheduler.cycle), benchmark::Counter::kIsRate);
}
BENCHMARK(RequestGrantRelease)->Arg(32)->Arg(128)->Arg(512);

}  // namespace
}  // namespace hybrid
