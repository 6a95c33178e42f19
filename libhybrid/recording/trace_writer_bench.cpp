// Speed of converting a recording to a trace, in journal events per second, by the number of events. The peak
// memory is shown, too: it must not grow with the number of events.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "core/journal.h"
#include "core/temporary_directory.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/recording/trace_writer.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRanks = 4;

// A ring of nonblocking exchanges, with an allreduce every 400 events.
void record(const std::string& directory, std::uint64_t events_a_rank, bool cpu) {
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::vector<std::int32_t> world(kRanks);
    std::iota(world.begin(), world.end(), 0);
    DefinitionWriter definitions(definitions_path(directory, rank));
    definitions.property("ranks", std::to_string(kRanks));
    definitions.property("clock", cpu ? "cpu" : "wall");
    definitions.communicator(kWorldCommunicator, world);
    JournalHeader header;
    header.rank = rank;
    header.ticks_per_second = 2'100'000'000;
    JournalWriter journal(journal_path(directory, rank, 0), header);
    std::uint64_t now = 0;
    const auto append = [&](EventKind kind, std::int32_t peer, std::uint32_t request, std::uint64_t step) {
      Event event;
      event.kind = kind;
      event.begin = now += step;
      event.duration = 150;
      event.peer = peer;
      event.bytes = 4096;
      event.request = request;
      if (kind == EventKind::collective) event.op = static_cast<std::uint8_t>(CollectiveOp::allreduce);
      journal.append(event);
    };
    for (std::uint64_t n = 0; n < events_a_rank; n += 4) {
      append(EventKind::recv_post, static_cast<std::int32_t>((rank + kRanks - 1) % kRanks), 1, 400);
      append(EventKind::send_start, static_cast<std::int32_t>((rank + 1) % kRanks), 2, 200);
      append(EventKind::recv_complete, static_cast<std::int32_t>((rank + kRanks - 1) % kRanks), 1, 2'000);
      append(EventKind::send_complete, kNoPeer, 2, 0);
      if (n % 400 == 0) append(EventKind::collective, kNoPeer, 0, 300);
    }
    append(EventKind::finish, kNoPeer, 0, 300);
  }
}

// Peak memory of the process, with mapped files, in bytes.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void write_trace_of(benchmark::State& state, bool cpu) {
  const TemporaryDirectory directory;
  const std::string& root = directory.path();
  const auto events = static_cast<std::uint64_t>(state.range(0));
  record(root, events / kRanks, cpu);
  std::uint64_t written = 0;
  for (auto _ : state) {
    const std::string output = root + "/out";
    fs::create_directory(output);
    written += write_trace(root, output).events;
    state.PauseTiming();
    fs::remove_all(output);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(written));
  state.counters["peak"] =
      benchmark::Counter(peak_memory(), benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
}

void wall_clock(benchmark::State& state) { write_trace_of(state, false); }
void cpu_clock(benchmark::State& state) { write_trace_of(state, true); }
BENCHMARK(wall_clock)->Arg(10'000)->Arg(1'000'000)->Arg(4'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(cpu_clock)->Arg(10'000)->Arg(1'000'000)->Arg(4'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hybrid
