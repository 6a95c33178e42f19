// How fast the emulator runs: synthetic traffic on every technique. Counters: messages a second, and emulated
// cycles a second (of one 10 ns word, as a simulator that ticks would count).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "core/registry.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

struct Setting {
  std::string technique, pattern;
  std::uint32_t nodes = 0;
  double load = 0;  // 0: as fast as the NICs take it
  Bytes message = 128;
  std::uint64_t messages = 0;
};

void simulate_once(benchmark::State& state, const Setting& setting) {
  SwitchParameters p;
  p.technique = setting.technique;
  p.nodes = setting.nodes;
  p.buffer = 8192;
  TrafficOptions t;
  t.pattern = setting.pattern;
  t.load = setting.load;
  t.message = setting.message;
  t.messages = setting.messages;
  double messages = 0, cycles = 0, utilisation = 0;
  for (auto _ : state) {
    const Measures m = simulate(p, t);
    messages += static_cast<double>(m.messages);
    cycles += static_cast<double>(m.time / p.word_time());
    utilisation = m.utilisation;
  }
  state.counters["messages/s"] = benchmark::Counter(messages, benchmark::Counter::kIsRate);
  state.counters["cycles/s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
  state.counters["utilisation"] = utilisation;
}

void add(const Setting& setting) {
  std::string load = "saturated";
  if (setting.load > 0) load = setting.load < 0.2 ? "load0.1" : "load0.5";
  const std::string name = setting.technique + "/" + setting.pattern + "/N" + std::to_string(setting.nodes) +
                           "/" + load + "/" + std::to_string(setting.message) + "B";
  benchmark::RegisterBenchmark(name.c_str(), [setting](benchmark::State& s) {
    simulate_once(s, setting);
  })->Unit(benchmark::kMillisecond);
}

const bool kAdded = [] {
  for (const char* technique : {"wormhole", "circuit", "tdm", "hybrid"}) {
    for (const std::uint32_t nodes : {32u, 128u, 512u})
      for (const double load : {0.1, 0.5, 0.0}) {
        add({technique, "uniform", nodes, load, 128, 64});
        add({technique, "ordered-mesh", nodes, load, 128, 64});
      }
    // A long message is one run of words, not a million of them.
    for (const Bytes message : {Bytes{128}, Bytes{1} << 20})
      add({technique, "permutation", 32, 0, message, 16});
  }
  return true;
}();

}  // namespace
}  // namespace hybrid
