// Benchmarks of the one-slot schedulers: a pass over an empty slot with requests of a given load (per port);
// a pass of the greedy scheduler over a slot in use; the scheduler port. Compare ratios within one run only.
// D 5.4's hardware takes 120 ns per pass at N = 32 and 385 ns at N = 128 (greedy), D 6.5's at most 90 ns per
// optimization step (matching).
//
// Boost.Graph uses std::stable_sort, in which clang reports a construct that is deprecated since C++17.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <benchmark/benchmark.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/matching.h"
#include "emulator/scheduler/maximum_matching.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

constexpr std::size_t kSets = 8;

/// Returns sets of load x N requests; load 0: all connections.
std::vector<SlotState> request_sets(std::size_t ports, std::int64_t load) {
  Random random(1);
  std::vector<SlotState> sets(kSets, SlotState(ports));
  for (SlotState& set : sets) {
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
  for (const SlotState& set : sets) {
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

/// Arguments: N, load.
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

/// K-step matching; counts the searches per pass. Arguments: N, load, K.
void MatchingSteps(benchmark::State& state) {
  MatchingScheduler scheduler(
      {static_cast<std::uint32_t>(state.range(0)), 1, static_cast<std::uint32_t>(state.range(2))});
  std::uint64_t searches = 0, passes = 0;
  const auto sets = request_sets(static_cast<std::size_t>(state.range(0)), state.range(1));
  std::vector<SchedulingPass> in;
  for (const SlotState& set : sets) in.push_back(set.pass(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(scheduler.pass(in[passes % kSets]).data());
    searches += scheduler.searches();
    ++passes;
  }
  state.counters["searches"] = static_cast<double>(searches) / static_cast<double>(passes);
}
BENCHMARK(MatchingSteps)->ArgsProduct({{16, 64, 128, 512}, {2}, {1, 3, 9, 1023}});

/// The maximum matching alone, of an existing matrix. Arguments: N, load.
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

/// Boost.Graph's maximum matching of the same requests; building the graph is not measured.
void BoostMaximumMatching(benchmark::State& state) {
  const auto ports = static_cast<std::size_t>(state.range(0));
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  std::vector<Graph> graphs;
  for (const SlotState& set : request_sets(ports, state.range(1))) {
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

/// A slot in use: half of its connections are released, and an input has two requests on average.
void GreedyPass(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  Random random(1);
  constexpr int kInputs = 4;  // number of matrices that fit into a first-level cache at N = 128
  std::vector<SlotState> inputs;
  std::vector<SchedulingPass> passes;
  inputs.reserve(kInputs);
  for (int i = 0; i < kInputs; ++i) {
    SlotState& in = inputs.emplace_back(ports);
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
BENCHMARK(GreedyPass)->Name("Pass")->Arg(32)->Arg(128)->Arg(512)->Arg(1024);

/// No releases, all connections requested, none established: the longest wave.
void FullGreedyPass(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  SlotState wanted(ports);
  for (Port p = 0; p < ports; ++p)
    for (Port q = 0; q < ports; ++q) wanted.requests.set(p, q);
  const SchedulingPass in = wanted.pass(0);
  GreedyScheduler scheduler({ports});
  for (auto _ : state) benchmark::DoNotOptimize(scheduler.pass(in).data());
}
BENCHMARK(FullGreedyPass)->Name("FullPass")->Arg(32)->Arg(128)->Arg(1024);

/// Every port has one open request, releases the connection when it is granted, and then requests the next
/// destination.
void RequestGrantRelease(benchmark::State& state) {
  SwitchParameters p;
  p.nodes = static_cast<std::uint32_t>(state.range(0));
  p.slots = 4;
  p.scheduler = {nanoseconds(80), 1};
  const auto port = make_scheduler_port(p);
  std::vector<Grant> grants;
  Time now{};
  Random random(1);
  for (Port source = 0; source < p.nodes; ++source)
    port->request(now, {source, static_cast<Port>(random.below(p.nodes))});
  std::int64_t granted = 0;
  for (auto _ : state) {
    now = port->next_change();
    grants.clear();
    port->advance(now, grants);
    for (const Grant& g : grants) {
      if (g.kind == Grant::Kind::established) {
        ++granted;
        port->release(now, g.connection);
      } else {
        port->request(now, {g.connection.source, (g.connection.destination + 1) % p.nodes});
      }
    }
  }
  state.counters["grants/s"] = benchmark::Counter(static_cast<double>(granted), benchmark::Counter::kIsRate);
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(now / p.scheduler.cycle), benchmark::Counter::kIsRate);
}
BENCHMARK(RequestGrantRelease)->Arg(32)->Arg(128)->Arg(512);

}  // namespace
}  // namespace hybrid
