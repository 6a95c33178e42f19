// Speed of the emulator: synthetic traffic on every technique. Counters: messages per second, and emulated
// cycles per second (a cycle is one 10 ns word, as in a cycle-driven simulator). Growth of the cost with the
// ports: `growth` is the time per message with N ports divided by that with 128 ports, measured alternately.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <string>

#include "core/registry.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

struct Setting {
  std::string technique, pattern;
  std::uint32_t nodes = 0;
  double load = 0;  // 0: as fast as the NICs accept
  Bytes message = 128;
  std::uint64_t messages = 0;
};

SwitchParameters parameters_of(const Setting& setting) {
  SwitchParameters p;
  p.technique = setting.technique;
  p.nodes = setting.nodes;
  p.buffer = 8192;
  return p;
}

TrafficOptions traffic_of(const Setting& setting) {
  TrafficOptions t;
  t.pattern = setting.pattern;
  t.load = setting.load;
  t.message = setting.message;
  t.messages = setting.messages;
  return t;
}

void simulate_once(benchmark::State& state, const Setting& setting) {
  const SwitchParameters p = parameters_of(setting);
  const TrafficOptions t = traffic_of(setting);
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

/// Returns the processor time of one emulation of `setting`.
double measure_seconds(const Setting& setting) {
  const std::clock_t begin = std::clock();
  benchmark::DoNotOptimize(simulate(parameters_of(setting), traffic_of(setting)));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Compares many ports with 128 ports, with the same number of messages per port.
void growth(benchmark::State& state, const Setting& setting) {
  constexpr std::uint32_t kFew = 128;
  Setting few = setting;
  few.nodes = kFew;
  double many_ports = 0, few_ports = 0;
  std::uint64_t runs = 0;
  for (auto _ : state) {
    many_ports += measure_seconds(setting);
    for (std::uint32_t ports = 0; ports < setting.nodes; ports += kFew) few_ports += measure_seconds(few);
    ++runs;
  }
  state.counters["growth"] = many_ports / few_ports;
  state.counters["ns/message"] =
      many_ports * 1e9 / static_cast<double>(runs * setting.messages * setting.nodes);
}

void add_growth(const Setting& setting) {
  const std::string name =
      "growth/" + setting.technique + "/" + setting.pattern + "/N" + std::to_string(setting.nodes);
  benchmark::RegisterBenchmark(name.c_str(), [setting](benchmark::State& s) {
    growth(s, setting);
  })->Unit(benchmark::kMillisecond);
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
    // The cost of a long message must not depend on its number of words.
    for (const Bytes message : {Bytes{128}, Bytes{1} << 20})
      add({technique, "permutation", 32, 0, message, 16});
    for (const std::uint32_t nodes : {512u, 2048u, 4096u})
      for (const char* pattern : {"uniform", "permutation", "ordered-mesh"})
        add_growth({technique, pattern, nodes, 0.5, 128, 64});
  }
  return true;
}();

}  // namespace
}  // namespace hybrid
