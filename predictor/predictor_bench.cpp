// The cost of one send for each predictor: in a loop over few neighbours, as in most programs, and in a round
// over all destinations, which shows whether the cost depends on their number.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "core/registry.h"
#include "predictor/evaluation.h"
#include "predictor/phases.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

void run(benchmark::State& state, const std::string& name, std::uint32_t destinations, std::uint32_t capacity,
         const std::vector<Port>& sends) {
  const auto predictor = PredictorRegistration::make(
      name,
      PredictorShape{
          .destinations = destinations, .capacity = capacity, .timeout = microseconds(100), .future = sends});
  Time now{};
  std::size_t next = 0;
  for (auto _ : state) {
    now += nanoseconds(200);
    const auto decisions = predictor->on_send(now, sends[next], 1024, 0);
    benchmark::DoNotOptimize(decisions.request.size() + decisions.release.size());
    if (++next == sends.size()) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

std::vector<Port> neighbours(std::uint32_t destinations) {
  Random random(1);
  std::vector<Port> cycle(std::min(6u, destinations));
  for (Port& d : cycle) d = static_cast<Port>(random.below(destinations));
  return cycle;
}
std::vector<Port> round_over_all(std::uint32_t destinations) {
  std::vector<Port> order(destinations);
  for (Port d = 0; d < destinations; ++d) order[d] = d;
  return order;
}
std::vector<Port> irregular(std::uint32_t destinations) {
  Random random(2);
  std::vector<Port> sends(1 << 16);
  for (Port& d : sends) d = static_cast<Port>(random.below(destinations));
  return sends;
}

void phase_finder(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  PhaseFinder finder(ports);
  Time now{};
  Port source = 0;
  std::uint32_t step = 0;
  for (auto _ : state) {
    finder.send(now, {source, (source + 1 + step) % ports}, 1024);
    if (++source == ports) source = 0, step = (step + 1) % 4, now += nanoseconds(500);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(phase_finder)->Arg(16)->Arg(1024);

const bool kRegistered = [] {
  for (std::string_view name : registered_names(Predictor::kKind))
    for (std::uint32_t destinations : {4u, 64u, 4096u}) {
      const auto add = [&](const char* stream, std::uint32_t capacity, std::vector<Port> sends) {
        const std::string title = std::string(name) + "/" + stream +
                                  "/destinations:" + std::to_string(destinations) +
                                  "/capacity:" + std::to_string(capacity);
        benchmark::RegisterBenchmark(title.c_str(), [=, name = std::string(name)](benchmark::State& state) {
          run(state, name, destinations, capacity, sends);
        });
      };
      add("neighbours", 4, neighbours(destinations));
      add("round", 0, round_over_all(destinations));
      add("irregular", 4, irregular(destinations));
    }
  return true;
}();

}  // namespace
}  // namespace hybrid
