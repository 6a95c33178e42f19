// A pass of the greedy scheduler. D 5.4's hardware takes 120 ns at N = 32 and 385 ns at N = 128.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/random.h"
#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/slots_for_test.h"

namespace hybrid {
namespace {

/// A slot in the middle of its life: half its connections are released, and on average two are wanted an
/// input.
void Pass(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  Random random(1);
  constexpr int kInputs = 4;  // as many matrices as a first-level cache holds at N = 128
  std::vector<SlotsForTest> inputs;
  std::vector<SchedulingPass> passes;
  inputs.reserve(kInputs);
  for (int i = 0; i < kInputs; ++i) {
    SlotsForTest& in = inputs.emplace_back(ports);
    const auto any = [&] { return static_cast<Port>(random.below(ports)); };
    for (std::uint32_t n = 0; n < ports; ++n) {
      const Connection c{any(), any()};
      if (!in.hold(0, c)) continue;
      if (random.below(2) == 0) in.requests.set(c.source, c.destination);
    }
    for (std::uint32_t n = 0; n < 2 * ports; ++n) in.requests.set(any(), any());
    passes.push_back(in.pass(0));
  }
  GreedyScheduler scheduler({ports});
  std::uint64_t pass = 0, toggles = 0;
  for (auto _ : state) {
    SchedulingPass& in = passes[pass % kInputs];
    in.priority.input = in.priority.output = static_cast<Port>(pass % ports);
    toggles += scheduler.pass(in).size();
    ++pass;
  }
  state.counters["toggles"] = benchmark::Counter(static_cast<double>(toggles) / static_cast<double>(pass));
  state.counters["connections/s"] =
      benchmark::Counter(static_cast<double>(toggles), benchmark::Counter::kIsRate);
}
BENCHMARK(Pass)->Arg(32)->Arg(128)->Arg(512)->Arg(1024);

/// Nothing to release, everything wanted, nothing established: the longest wave.
void FullPass(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  SlotsForTest wanted(ports);
  for (Port p = 0; p < ports; ++p)
    for (Port q = 0; q < ports; ++q) wanted.requests.set(p, q);
  const SchedulingPass in = wanted.pass(0);
  GreedyScheduler scheduler({ports});
  for (auto _ : state) benchmark::DoNotOptimize(scheduler.pass(in).data());
}
BENCHMARK(FullPass)->Arg(32)->Arg(128)->Arg(1024);

}  // namespace
}  // namespace hybrid
