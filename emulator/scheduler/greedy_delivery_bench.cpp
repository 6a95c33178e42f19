// Delivery of a filled message set, load factor 8, on universal fat trees: greedy against a transcription of
// the memo's listing, and the off-line answers. Messages a second.
#include <benchmark/benchmark.h>

#include "emulator/scheduler/first_fit_delivery.h"
#include "emulator/scheduler/greedy_delivery.h"
#include "emulator/scheduler/greedy_delivery_reference.h"
#include "emulator/scheduler/off_line_partition.h"
#include "emulator/topology/message_sets.h"

namespace hybrid {
namespace {

/// By number of processors; the root has a quarter as many paths as there are processors.
template <class Deliver>
void deliver(benchmark::State& state, Deliver&& delivered) {
  const auto processors = static_cast<std::uint32_t>(state.range(0));
  const BinaryFatTree tree = BinaryFatTree::universal(processors, processors / 4);
  Random random(1);
  const auto messages = filled_messages(tree, 8, random);
  std::uint64_t cycles = 0;
  for (auto _ : state) cycles += delivered(tree, messages, random).cycles;
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
