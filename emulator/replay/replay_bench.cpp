// Cost of the replay itself: jobs in memory on a network that takes almost no time. Time and memory per
// operation must not depend on the length of the job.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>

#include "emulator/replay/job_driver.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

/// A network with one latency for all messages: a queue, no heap.
class ConstantLatency final : public Technique {
 public:
  void send(Time at, const Message& message) override {
    flights_.push_back({at + nanoseconds(500), message});
  }
  Time next_event() const override { return first_ == flights_.size() ? Time::never() : flights_[first_].at; }
  Time advance(Time until, TransferListener& listener) override {
    if (next_event() > until) return until;
    const Time at = next_event();
    for (; first_ < flights_.size() && flights_[first_].at == at; ++first_) {
      listener.injected(at, flights_[first_].message);
      listener.delivered(at, flights_[first_].message, true);
      ++statistics_.messages;
      statistics_.bytes += flights_[first_].message.bytes;
    }
    if (first_ == flights_.size()) {
      flights_.clear();
      first_ = 0;
    }
    return at;
  }
  TechniqueStatistics statistics() const override { return statistics_; }

 private:
  struct Flight {
    Time at;
    Message message;
  };
  std::vector<Flight> flights_;
  std::size_t first_ = 0;
  TechniqueStatistics statistics_;
};

/// Halo exchange on a ring: every step two sends, two receives, and every 16th an allreduce.
bool halo(std::uint32_t rank, std::uint32_t ranks, std::uint64_t steps, std::uint64_t number, Operation& o) {
  const std::uint64_t step = number / 8, part = number % 8;
  if (step == steps) return false;
  reset(o);
  const std::uint32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  switch (part) {
    case 0:
    case 1:
      o.kind = Kind::recv_post;
      break;
    case 2:
    case 3:
      o.kind = Kind::send_start;
      o.peer = part == 2 ? left : right;
      o.request = part;
      o.bytes = 1024;
      if (part == 2) o.compute = nanoseconds(1000 + rank);
      break;
    case 4:
    case 5:
      o.kind = Kind::recv_complete;
      o.peer = part == 4 ? right : left;
      break;
    case 6:
      o.kind = Kind::send_complete;
      o.request = 2;
      break;
    default:
      o.kind = step % 16 == 15 ? Kind::collective : Kind::send_complete;
      o.collective = CollectiveOp::allreduce;
      o.bytes = 8;
      o.request = 3;
  }
  return true;
}

void replay_halo(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const auto steps = static_cast<std::uint64_t>(state.range(1));
  std::size_t most = 0;
  for (auto _ : state) {
    MemoryTrace trace(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r)
      trace.generate(r, [=](std::uint64_t n, Operation& o) { return halo(r, ranks, steps, n, o); });
    ConstantLatency network;
    ReplayOptions options;
    const std::size_t before = mallinfo2().uordblks;
    options.progress = [&](std::uint64_t) { most = std::max(most, mallinfo2().uordblks - before); };
    JobDriver driver(trace, network, placement_of(trace, options), options);
    driver.run();
    ReplayResult result;
    driver.report(result);
    benchmark::DoNotOptimize(result.measures.time);
  }
  const double operations = static_cast<double>(state.iterations()) * static_cast<double>(ranks * steps * 8);
  state.counters["operations/s"] = benchmark::Counter(operations, benchmark::Counter::kIsRate);
  state.counters["driver_KiB"] = static_cast<double>(most) / 1024;
}
BENCHMARK(replay_halo)
    ->ArgNames({"ranks", "steps"})
    ->Args({16, 4000})
    ->Args({16, 40000})
    ->Args({16, 400000})
    ->Args({128, 5000})
    ->Args({1024, 500})
    ->Unit(benchmark::kMillisecond);

void replay_alltoall(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  std::uint64_t messages = 0;
  for (auto _ : state) {
    MemoryTrace trace(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r)
      trace.generate(r, [](std::uint64_t n, Operation& o) {
        reset(o);
        o.kind = Kind::collective;
        o.collective = CollectiveOp::alltoall;
        o.bytes = 4096;
        return n < 4;
      });
    ConstantLatency network;
    const ReplayOptions options;
    JobDriver driver(trace, network, placement_of(trace, options), options);
    driver.run();
    ReplayResult result;
    driver.report(result);
    messages += result.measures.messages;
  }
  state.counters["messages/s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}
BENCHMARK(replay_alltoall)->ArgName("ranks")->Arg(16)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hybrid
