// Recordings for tests, in the form that the shim writes.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/journal.h"
#include "core/temporary_directory.h"
#include "libhybrid/recording/definitions.h"

namespace hybrid {

/// Journal of a thread. Times and durations are in ticks of a nanosecond; times count from the start of the
/// job.
class RecordedThread {
 public:
  RecordedThread(const std::string& path, const JournalHeader& header)
      : journal(path, header), origin_(header.origin_ticks) {}

  /// A collective without a tag gets the next number of its communicator (Event::tag).
  void event(EventKind kind, std::uint64_t begin, std::uint64_t duration, Event event = {},
             WideValues wide = {}) {
    event.kind = kind;
    event.begin = origin_ + begin;
    if ((kind == EventKind::collective || kind == EventKind::collective_start) && event.tag == 0)
      event.tag = collective_calls_[wide.communicator != 0 ? wide.communicator : event.communicator]++;
    journal.append(event, {wide.bytes != 0 ? wide.bytes : event.bytes, duration,
                           wide.communicator != 0 ? wide.communicator : event.communicator});
  }
  void extension(Extension what, std::int32_t peer, std::uint64_t value) {
    Event event;
    event.kind = EventKind::extension;
    event.op = static_cast<std::uint8_t>(what);
    event.peer = peer;
    event.begin = value;
    journal.append(event);
  }
  void start(std::uint64_t at = 0) { event(EventKind::start, at, 0); }
  void finish(std::uint64_t at) { event(EventKind::finish, at, 0); }

  JournalWriter journal;

 private:
  std::map<std::uint32_t, std::int32_t> collective_calls_;
  std::uint64_t origin_;
};

/// A recorded process: definitions with MPI_COMM_WORLD and MPI_COMM_SELF, and the journal of the first
/// thread.
class RecordedProcess {
 public:
  RecordedProcess(const std::string& directory, std::uint32_t rank, std::uint32_t ranks, JournalHeader header)
      : directory_(directory), header_(header), definitions(definitions_path(directory, rank)) {
    header_.rank = rank;
    std::vector<std::int32_t> world(ranks);
    std::iota(world.begin(), world.end(), 0);
    definitions.property("ranks", std::to_string(ranks));
    definitions.communicator(kWorldCommunicator, world);
    const std::int32_t self = static_cast<std::int32_t>(rank);
    definitions.communicator(kSelfCommunicator, {&self, 1});
    thread(0);
  }
  RecordedThread& thread(std::uint32_t number) {
    auto& thread = threads_[number];
    if (thread == nullptr) {
      header_.thread = number;
      thread = std::make_unique<RecordedThread>(journal_path(directory_, header_.rank, number), header_);
    }
    return *thread;
  }
  RecordedThread* operator->() { return &thread(0); }

 private:
  std::string directory_;
  JournalHeader header_;
  std::map<std::uint32_t, std::unique_ptr<RecordedThread>> threads_;

 public:
  DefinitionWriter definitions;
};

/// Clock of a host: its wall clock reads `origin_ns` when its counter reads `origin_ticks`.
inline JournalHeader test_clock(std::uint64_t origin_ticks = 5'000,
                                std::uint64_t origin_ns = 1'700'000'000'000'000'000,
                                std::uint64_t rate = 1'000'000'000) {
  JournalHeader header;
  header.ticks_per_second = rate;
  header.origin_ticks = origin_ticks;
  header.origin_ns = origin_ns;
  return header;
}

}  // namespace hybrid
