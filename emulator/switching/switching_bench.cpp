// Speed of the emulator: simulated link cycles (word times) and messages per second of real time, by
// technique, ports and load; and the cost of a megabyte compared with 64 bytes.
#include <benchmark/benchmark.h>

#include <string>

#include "core/random.h"
#include "emulator/network/technique.h"

namespace hybrid {
namespace {

const char* const kTechniques[] = {"wormhole", "circuit", "tdm", "hybrid"};

class Counter : public TransferListener {
 public:
  void injected(Time, const Message&) override {}
  void delivered(Time at, const Message& message, bool) override {
    ++messages;
    bytes += message.bytes;
    last = at;
  }
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  Time last{};
};

/// Every node sends messages of 128 bytes, 7 of 8 to one of four neighbours and the rest to random ports,
/// with an offered load of `load`. In each round every node sends once, in order.
void run_traffic(Technique& technique, const SwitchParameters& p, double load, std::uint64_t rounds,
                 Counter& counter) {
  constexpr Bytes kBytes = 128;
  Random random(1);
  const Time message = time_on_link(kBytes, p.link_rate);
  const auto interval = static_cast<std::int64_t>(static_cast<double>(message.ps) / load);
  std::uint64_t id = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // The sends are spread over the interval of the round.
    for (Port source = 0; source < p.nodes; ++source) {
      const Time at = picoseconds(static_cast<std::int64_t>(round) * interval + source * interval / p.nodes);
      while (technique.next_event() <= at) technique.advance(technique.next_event(), counter);
      const auto hop = random.below(8) != 0 ? 1 + random.below(4) : 1 + random.below(p.nodes - 1);
      technique.send(at, {id++, {source, static_cast<Port>((source + hop) % p.nodes)}, kBytes});
    }
  }
  // At saturation the backlog is not drained, so that the loaded switch is measured.
}

void traffic(benchmark::State& state) {
  SwitchParameters p;  // preset ch5
  p.technique = kTechniques[state.range(0)];
  p.nodes = static_cast<std::uint32_t>(state.range(1));
  p.predictor_timeout = microseconds(10);
  const double load = static_cast<double>(state.range(2)) / 100;
  std::uint64_t messages = 0;
  std::int64_t cycles = 0;
  double utilisation = 0;
  for (auto _ : state) {
    const auto technique = TechniqueRegistration::make(p.technique, p);
    Counter counter;
    run_traffic(*technique, p, load, 40'000 / p.nodes, counter);
    messages += counter.messages;
    cycles += counter.last / p.word_time();
    utilisation = static_cast<double>(counter.bytes) * 8 /
                  (counter.last.seconds() * p.nodes * static_cast<double>(p.link_rate));
  }
  state.SetLabel(p.technique);
  state.counters["cycles/s"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["messages/s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
  state.counters["utilisation"] = utilisation;
}
BENCHMARK(traffic)
    ->ArgNames({"technique", "nodes", "load%"})
    ->ArgsProduct({{0, 1, 2, 3}, {32, 128, 512}, {10, 50, 100}})
    ->Unit(benchmark::kMillisecond);

/// Consecutive messages on one connection, each delivered before the next send. `buffer` 0: unlimited.
void one_message(benchmark::State& state) {
  SwitchParameters p;
  p.technique = kTechniques[state.range(0)];
  if (state.range(2) != 0) p.buffer = static_cast<Bytes>(state.range(2));
  const auto bytes = static_cast<Bytes>(state.range(1));
  const auto technique = TechniqueRegistration::make(p.technique, p);
  Counter counter;
  Time at{};
  for (auto _ : state) {
    technique->send(at, {counter.messages, {0, 1}, bytes});
    const std::uint64_t done = counter.messages;
    while (counter.messages == done) at = technique->advance(technique->next_event(), counter);
  }
  state.SetLabel(p.technique);
  state.counters["words/s"] =
      benchmark::Counter(static_cast<double>(counter.bytes / p.word), benchmark::Counter::kIsRate);
}
BENCHMARK(one_message)
    ->ArgNames({"technique", "bytes", "buffer"})
    ->ArgsProduct({{0, 1, 2, 3}, {64, 1 << 10, 1 << 20}, {0, 2048}});

}  // namespace
}  // namespace hybrid
