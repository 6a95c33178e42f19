// Benchmarks of trees: the fat-tree schedulers, for a whole permutation and one circuit at a time; and
// delivery on binary fat trees. Compare times within one run only. L 6's hardware takes 480, 4352 and 38912
// ns for all requests of FT(3, 4), FT(3, 8) and FT(3, 16).
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/scheduler/testing/greedy_delivery_reference.h"
#include "emulator/scheduler/testing/level_wise_reference.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/topology/message_sets.h"

namespace hybrid {

namespace {

constexpr std::size_t kSets = 8;  // so that the branch predictor cannot learn a set

std::vector<std::vector<Connection>> permutations(const FatTreeShape& shape) {
  Random random(1);
  const std::uint32_t nodes = FatTree(shape).nodes();
  std::vector<std::vector<Connection>> sets(kSets, std::vector<Connection>(nodes));
  for (auto& set : sets) {
    for (Port p = 0; p < nodes; ++p) set[p] = {p, p};
    for (Port p = nodes; p > 1; --p) std::swap(set[p - 1].destination, set[random.below(p)].destination);
  }
  return sets;
}

template <class Scheduler>
void schedule_permutations(benchmark::State& state, const FatTreeShape& shape, Scheduler& scheduler) {
  const auto sets = permutations(shape);
  std::vector<TreePath> paths(sets[0].size());
  std::size_t runs = 0, granted = 0;
  for (auto _ : state) {
    granted += scheduler.schedule(sets[runs++ % kSets], paths);
    benchmark::DoNotOptimize(paths.data());
  }
  const auto requested = static_cast<double>(runs) * static_cast<double>(paths.size());
  state.counters["schedulability"] = static_cast<double>(granted) / requested;
  state.counters["s/request"] =
      benchmark::Counter(requested, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

FatTreeShape shape_of(const benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(1));
  return {static_cast<std::uint32_t>(state.range(0)), ports, ports};
}

/// L figure 7 transcribed, with vectors of bool.
void Transcription(benchmark::State& state) {
  LevelWiseReference reference(shape_of(state));
  schedule_permutations(state, shape_of(state), reference);
}

void Schedule(benchmark::State& state, const std::string& name) {
  const auto scheduler = SchedulerRegistration::make(name)->fat_tree(shape_of(state), 1);
  schedule_permutations(state, shape_of(state), *scheduler);
}

/// One step releases a circuit and requests another one; the time is that of both. Half of the nodes hold a
/// circuit.
void Incremental(benchmark::State& state) {
  const FatTreeShape shape = shape_of(state);
  const auto sets = permutations(shape);
  TreeCircuits circuits(shape);
  std::vector<Connection> held, waiting;
  for (std::size_t i = 0; i < sets[0].size(); ++i) (i % 2 == 0 ? held : waiting).push_back(sets[0][i]);
  for (const Connection c : held) circuits.request(c);
  Random random(2);
  std::vector<std::uint32_t> order(4096);
  for (auto& at : order) at = static_cast<std::uint32_t>(random.below(held.size()));
  std::size_t step = 0, granted = 0;
  for (auto _ : state) {
    const std::uint32_t at = order[step++ % order.size()];
    circuits.release(held[at]);
    std::swap(held[at], waiting[at]);
    granted += circuits.request(held[at]).granted;
  }
  state.counters["granted"] = static_cast<double>(granted) / static_cast<double>(step);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const auto& [levels, ports] :
       {std::pair{2, 8}, {2, 64}, {2, 256}, {3, 4}, {3, 8}, {3, 16}, {4, 4}, {4, 8}, {4, 16}, {5, 9}})
    benchmark->Args({levels, ports});
}

BENCHMARK(Transcription)->Args({3, 4})->Args({3, 8})->Args({3, 16});
BENCHMARK_CAPTURE(Schedule, level_wise, "level-wise")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, level_wise_request, "level-wise-request")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, level_wise_rearranged, "level-wise-rearranged")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, optimal, "optimal")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, d_mod_k, "d-mod-k")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, local_greedy, "local-greedy")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, local_random, "local-random")->Apply(sizes);
BENCHMARK_CAPTURE(Schedule, turn_back, "turn-back")->Apply(sizes);
BENCHMARK(Incremental)->Args({3, 16})->Args({2, 64})->Args({4, 8});

// Delivery of a filled message set, load factor 8, on universal fat trees: greedy, a transcription of the
// memo's listing, and the off-line solutions. Messages per second.

/// Argument: number of processors; the root has a quarter as many paths.
template <class Deliver>
void deliver(benchmark::State& state, Deliver&& deliver_messages) {
  const auto processors = static_cast<std::uint32_t>(state.range(0));
  const BinaryFatTree tree = BinaryFatTree::universal(processors, processors / 4);
  Random random(1);
  const auto messages = filled_messages(tree, 8, random);
  std::uint64_t cycles = 0;
  for (auto _ : state) cycles += deliver_messages(tree, messages, random).cycles;
  const auto runs = static_cast<double>(state.iterations());
  state.counters["cycles"] = static_cast<double>(cycles) / runs;
  state.counters["messages/s"] =
      benchmark::Counter(runs * static_cast<double>(messages.size()), benchmark::Counter::kIsRate);
}

void Greedy(benchmark::State& state) { deliver(state, greedy_delivery); }
BENCHMARK(Greedy)->Name("GreedyDelivery")->Arg(1 << 10)->Arg(1 << 13)->Arg(1 << 16);

void Listing(benchmark::State& state) { deliver(state, greedy_delivery_reference::deliver); }
BENCHMARK(Listing)->Name("GreedyDelivery/listing")->Arg(1 << 10)->Arg(1 << 13)->Arg(1 << 16);

void Partition(benchmark::State& state) {
  deliver(state, [](const BinaryFatTree& tree, std::span<const Connection> messages, Random& /*random*/) {
    return off_line_partition(tree, messages);
  });
}
BENCHMARK(Partition)->Name("OffLinePartition")->Arg(1 << 10)->Arg(1 << 13);

void FirstFit(benchmark::State& state) {
  deliver(state, [](const BinaryFatTree& tree, std::span<const Connection> messages, Random& /*random*/) {
    return first_fit_delivery(tree, messages);
  });
}
BENCHMARK(FirstFit)->Name("FirstFitDelivery")->Arg(1 << 10)->Arg(1 << 13);

}  // namespace

}  // namespace hybrid
