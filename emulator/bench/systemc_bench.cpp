// Simulated cycles per second of the emulator and of an equivalent SystemC model, under the same saturated
// traffic. Before the measurement the program checks that both deliver the same messages in the same cycles,
// and fails if they differ. `--benchmark_filter=nothing` runs only this check.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <systemc>

#include "emulator/bench/emulator_run.h"
#include "emulator/bench/systemc_switch.h"

namespace {

using namespace hybrid;
using namespace hybrid::bench;

constexpr std::uint32_t kPorts[] = {4, 16, 32, 70, 128};
constexpr std::uint64_t kCompared = 3000;  // cycles
constexpr std::uint64_t kStep = 200;       // cycles per iteration

bool equal_deliveries(const SystemcSwitch& systemc, const EmulatorRun& emulator, std::uint32_t ports) {
  const Delivered theirs = systemc.delivered(), ours = emulator.delivered();
  if (theirs == ours) return true;
  std::fprintf(
      stderr,
      "%u ports, %llu cycles: SystemC delivered %llu messages, the emulator %llu, or in other cycles\n",
      ports, static_cast<unsigned long long>(systemc.cycles()),
      static_cast<unsigned long long>(theirs.messages), static_cast<unsigned long long>(ours.messages));
  return false;
}

template <class Switch>
void saturated(benchmark::State& state, Switch& model) {
  const Delivered before = model.delivered();
  const std::uint64_t from = model.cycles();
  for (auto _ : state) model.run(kStep);
  const Delivered after = model.delivered();
  const auto cycles = static_cast<double>(model.cycles() - from);
  const auto words = static_cast<double>(after.bytes - before.bytes) / 8;
  state.counters["cycles/s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
  state.counters["words/s"] = benchmark::Counter(words, benchmark::Counter::kIsRate);
  state.counters["words/cycle"] = words / cycles;
}

}  // namespace

// Called by the SystemC library.
__attribute__((visibility("default"))) int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  std::map<std::uint32_t, SystemcSwitch> references;
  std::map<std::uint32_t, EmulatorRun> runs;
  for (const std::uint32_t ports : kPorts) {
    references.try_emplace(ports, reference_parameters(ports));
    runs.try_emplace(ports, reference_parameters(ports));
  }
  bool equal = true;
  for (const std::uint32_t ports : kPorts) {
    // Steps of different lengths, so that a difference of one cycle is detected.
    for (std::uint64_t cycles = 1; references.at(ports).cycles() < kCompared; cycles += 7) {
      references.at(ports).run(cycles);
      runs.at(ports).run(cycles);
      if (!equal_deliveries(references.at(ports), runs.at(ports), ports)) {
        equal = false;
        break;
      }
    }
  }
  if (!equal) return 1;
  for (const std::uint32_t ports : {32U, 128U}) {
    const std::string suffix = "/ports:" + std::to_string(ports);
    benchmark::RegisterBenchmark(
        ("saturated/systemc" + suffix).c_str(),
        [&model = references.at(ports)](benchmark::State& state) { saturated(state, model); });
    benchmark::RegisterBenchmark(
        ("saturated/emulator" + suffix).c_str(),
        [&model = runs.at(ports)](benchmark::State& state) { saturated(state, model); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }
