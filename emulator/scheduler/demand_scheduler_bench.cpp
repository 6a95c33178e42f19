// Demand schedulers by ports, on the skewed demand on which Solstice and Eclipse were tried: 16 flows a port
// of 1 MiB on average at 100 Gb/s, 20 us a reconfiguration, a packet network of a tenth. The counter `score`
// is the time to drain over the lower bound.
#include <benchmark/benchmark.h>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_bound.h"
#include "emulator/scheduler/demand_drain.h"
#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

void drain(benchmark::State& state, const char* name, bool partial) {
  Random random(1);
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  const RequestSet set =
      RequestFamilyRegistration::make("skewed", RequestSetShape{ports, 16, 1 << 20})->draw(random);
  const DemandProblem problem{set, 100'000'000'000, microseconds(20), partial, 0.1};
  const auto scheduler = SchedulerRegistration::make(name)->demand();
  std::vector<TimedConfiguration> schedule;
  for (auto _ : state) schedule = scheduler->drain(problem);
  state.counters["configurations"] = static_cast<double>(schedule.size());
  state.counters["score"] =
      drain_time(problem, schedule).time.nanoseconds() / drain_bound(problem).nanoseconds();
}
BENCHMARK_CAPTURE(drain, birkhoff, "birkhoff", false)->RangeMultiplier(2)->Range(32, 128);
BENCHMARK_CAPTURE(drain, solstice, "solstice", false)->RangeMultiplier(2)->Range(32, 128);
BENCHMARK_CAPTURE(drain, eclipse, "eclipse", false)->RangeMultiplier(2)->Range(32, 128);
BENCHMARK_CAPTURE(drain, best_first_fit, "best-first-fit", false)->RangeMultiplier(2)->Range(32, 128);
BENCHMARK_CAPTURE(drain, best_first_fit_partial, "best-first-fit", true)->RangeMultiplier(2)->Range(32, 128);

}  // namespace
}  // namespace hybrid
