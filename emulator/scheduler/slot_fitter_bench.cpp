// Working sets into slots. All in one run, so that ratios mean something: time by request of first-fit, exact
// edge colouring and the exact choice of what to leave out, by ports and density; greedy slot by slot beside
// them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/slot_by_slot.h"

namespace hybrid {
namespace {

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

/// A quarter of the slots that all would need.
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

}  // namespace
}  // namespace hybrid
