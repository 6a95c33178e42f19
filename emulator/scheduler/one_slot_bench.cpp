// One-slot schedulers beside each other: a pass over an empty slot, requests of a stated load (a port).
// Ratios are read within one run. D 5.4's FPGA takes 385 ns a pass at N = 128 (greedy), D 6.5's at most 90 ns
// an optimization step (matching).
// Boost.Graph's front door sorts by std::stable_sort, within which clang finds what is deprecated since
// C++17.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <benchmark/benchmark.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <memory>
#include <string>
#include <vector>

#include "emulator/scheduler/matching.h"
#include "emulator/scheduler/maximum_matching.h"
#include "emulator/scheduler/slots_for_test.h"

namespace hybrid {
namespace {

constexpr std::size_t kSets = 8;

/// Sets of load x N requests; load 0: everything.
std::vector<SlotsForTest> request_sets(std::size_t ports, std::int64_t load) {
  Random random(1);
  std::vector<SlotsForTest> sets(kSets, SlotsForTest(ports));
  for (SlotsForTest& set : sets) {
    if (load == 0) set = hard_slots(ports)[1];
    for (std::size_t more = static_cast<std::size_t>(load) * ports; more > 0;) {
      const std::size_t u = random.below(ports), v = random.below(ports);
      if (set.requests.test(u, v)) continue;
      set.requests.set(u, v);
      --more;
    }
  }
  return sets;
}

void run_passes(benchmark::State& state, Scheduler& scheduler) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  const auto sets = request_sets(ports, state.range(1));
  std::vector<BitMatrix> open_words;  // as the scheduler port keeps it
  std::vector<SchedulingPass> passes;
  open_words.reserve(kSets);
  for (const SlotsForTest& set : sets) {
    passes.push_back(set.pass(0));
    open_words.push_back(open_words_of(set.open));
    passes.back().open_words = &open_words.back();
  }
  std::uint64_t pass = 0, granted = 0;
  for (auto _ : state) {
    SchedulingPass& in = passes[pass % kSets];
    in.priority.input = in.priority.output = static_cast<Port>(pass % ports);
    granted += scheduler.pass(in).size();
    ++pass;
  }
  state.counters["granted"] = static_cast<double>(granted) / static_cast<double>(pass);
}

/// Every algorithm: N, load.
void OneSlot(benchmark::State& state, const std::string& name) {
  const auto scheduler = make_one_slot_scheduler(name, {static_cast<std::uint32_t>(state.range(0))});
  run_passes(state, *scheduler);
}
void sizes_and_loads(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{32, 128, 1024}, {1, 4, 0}});
}
BENCHMARK_CAPTURE(OneSlot, greedy, "greedy")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, greedy_release_first, "greedy-release-first")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, matching, "matching")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, exact, "exact")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, islip, "islip")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, pim, "pim")->Apply(sizes_and_loads);
BENCHMARK_CAPTURE(OneSlot, wavefront, "wavefront")->Apply(sizes_and_loads);

/// K-step matching: N, load, K; searches of a pass.
void MatchingSteps(benchmark::State& state) {
  MatchingScheduler scheduler(
      {static_cast<std::uint32_t>(state.range(0)), 1, static_cast<std::uint32_t>(state.range(2))});
  std::uint64_t searches = 0, passes = 0;
  const auto sets = request_sets(static_cast<std::size_t>(state.range(0)), state.range(1));
  std::vector<SchedulingPass> in;
  for (const SlotsForTest& set : sets) in.push_back(set.pass(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(scheduler.pass(in[passes % kSets]).data());
    searches += scheduler.searches();
    ++passes;
  }
  state.counters["searches"] = static_cast<double>(searches) / static_cast<double>(passes);
}
BENCHMARK(MatchingSteps)->ArgsProduct({{16, 64, 128, 512}, {2}, {1, 3, 9, 1023}});

/// The maximum matching alone, of a matrix that is there: N, load.
void WordMaximumMatching(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  const auto sets = request_sets(ports, state.range(1));
  MaximumMatching matching(ports);
  std::uint64_t pass = 0, granted = 0;
  for (auto _ : state) {
    matching.clear();
    matching.improve(sets[pass % kSets].requests, sets[pass % kSets].inputs);
    granted += matching.size();
    ++pass;
  }
  state.counters["granted"] = static_cast<double>(granted) / static_cast<double>(pass);
}
BENCHMARK(WordMaximumMatching)->Args({128, 1})->Args({1024, 1})->Args({1024, 4});

/// Boost.Graph's maximum matching of the same requests, the graph built beforehand.
void BoostMaximumMatching(benchmark::State& state) {
  const auto ports = static_cast<std::size_t>(state.range(0));
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  std::vector<Graph> graphs;
  for (const SlotsForTest& set : request_sets(ports, state.range(1))) {
    Graph& graph = graphs.emplace_back(2 * ports);
    for (Port u = 0; u < ports; ++u)
      for_each_port(set.requests.row(u), [&](Port v) { boost::add_edge(u, ports + v, graph); });
  }
  std::vector<boost::graph_traits<Graph>::vertex_descriptor> mate(2 * ports);
  std::uint64_t pass = 0, granted = 0;
  for (auto _ : state) {
    boost::edmonds_maximum_cardinality_matching(graphs[pass % kSets], mate.data());
    granted += boost::matching_size(graphs[pass % kSets], mate.data());
    ++pass;
  }
  state.counters["granted"] = static_cast<double>(granted) / static_cast<double>(pass);
}
BENCHMARK(BoostMaximumMatching)->Args({128, 1})->Args({1024, 1})->Args({1024, 4});

}  // namespace
}  // namespace hybrid
