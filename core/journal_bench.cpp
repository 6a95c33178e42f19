// The cost of appending an event, including segment changes (reserving and mapping the next megabyte). The
// files are in the system's temporary directory.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "core/journal.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

class Directory {
 public:
  std::string next() { return directory_ / std::to_string(files_++); }

 private:
  const TemporaryDirectory directory_;
  int files_ = 0;
};

constexpr std::uint64_t kEventsAFile = 64 * JournalWriter::kBlockWords;

void append(benchmark::State& state) {
  Directory directory;
  Event event;
  event.kind = EventKind::send;
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(kEventsAFile))) {
    state.PauseTiming();
    const std::string path = directory.next();
    JournalWriter writer(path, {});
    state.ResumeTiming();
    for (std::uint64_t n = 0; n < kEventsAFile; ++n) {
      event.begin = n;
      writer.append(event);
    }
    state.PauseTiming();
    if (writer.lost() != 0) state.SkipWithError("the disk is full");
    writer.close();
    std::filesystem::remove(path);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append)->MinTime(0.1);

// Without changes of the block: events of the first one, which is already mapped.
void append_within_a_block(benchmark::State& state) {
  Directory directory;
  Event event;
  event.kind = EventKind::send;
  constexpr std::uint64_t kEvents = JournalWriter::kBlockWords - 2 * kMostEventWords;
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(kEvents))) {
    state.PauseTiming();
    const std::string path = directory.next();
    JournalWriter writer(path, {});
    writer.append(event);
    state.ResumeTiming();
    for (std::uint64_t n = 0; n < kEvents; ++n) {
      event.begin = n;
      writer.append(event);
    }
    state.PauseTiming();
    writer.close();
    std::filesystem::remove(path);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append_within_a_block)->MinTime(0.05);

}  // namespace
}  // namespace hybrid
