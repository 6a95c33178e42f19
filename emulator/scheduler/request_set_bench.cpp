// Benchmarks of the schedulers that get a whole request set. Compare times within one run only.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_drain.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/slot_by_slot.h"

namespace hybrid {

namespace {

// Working sets into slots: time per request of first fit, of exact edge colouring and of the exact choice of
// the requests to leave out, by ports and density; for comparison, greedy slot by slot.

RequestSet set_of(benchmark::State& state) {
  Random random(1);
  RequestSetShape shape{static_cast<std::uint32_t>(state.range(0)), static_cast<double>(state.range(1))};
  shape.random_sizes = true;
  return RequestFamilyRegistration::make("random", shape)->draw(random);
}

void fit(benchmark::State& state, SlotFitter& fitter, std::uint32_t slots) {
  const RequestSet set = set_of(state);
  std::uint32_t used = 0;
  for (auto _ : state) used = fitter.fit({set, slots, {}}).slots;
  state.counters["slots"] = used;
  state.counters["requests/s"] =
      benchmark::Counter(static_cast<double>(set.requests.size()) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void FirstFit(benchmark::State& state) {
  fit(state, *SchedulerRegistration::make("first-fit")->slot_fitter(), 0);
}

void EdgeColouring(benchmark::State& state) {
  fit(state, *SchedulerRegistration::make("edge-colouring")->slot_fitter(), 0);
}

/// A quarter of the slots that all requests would need.
void MostBytes(benchmark::State& state) {
  fit(state, *SchedulerRegistration::make("edge-colouring")->slot_fitter(),
      std::max(1U, static_cast<std::uint32_t>(state.range(1) / 4)));
}

void GreedySlotBySlot(benchmark::State& state) {
  SlotBySlot greedy([](std::uint32_t ports) { return make_one_slot_scheduler("greedy", {ports}); });
  fit(state, greedy, 0);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int ports : {64, 256, 1024})
    for (const int density : {4, 32, ports - 1})
      benchmark->Args({ports, density})->Unit(benchmark::kMicrosecond);
}
BENCHMARK(FirstFit)->Apply(sizes);
BENCHMARK(GreedySlotBySlot)->Apply(sizes);
BENCHMARK(EdgeColouring)->Apply(sizes);
BENCHMARK(MostBytes)->Apply(sizes);

// Demand schedulers by ports, with the skewed demand with which Solstice and Eclipse were evaluated: 16 flows
// per port of 1 MiB on average at 100 Gb/s, a reconfiguration of 20 us, a packet network of a tenth. The
// counter `score` is the time to drain divided by the lower bound.

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
