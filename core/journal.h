// Journal: the events of one thread, in a memory-mapped file.
//
// A process that is killed by SIGKILL loses no event that was already appended. append() is a store and an
// add: no lock and no allocation. A system call is necessary once per kSegmentEvents events, to map the next
// segment.
//
// File: one JournalHeader, then events. Unwritten space is zero (EventKind::none), which marks the end of the
// journal of a process that died. Files have mode 0600 and are created with O_EXCL. The disk space of a
// segment is reserved before it is mapped, so that a full disk (or a limit on file sizes) is an error here
// and not a SIGBUS (or SIGXFSZ) in the program.
//
//   JournalWriter writer(path, {.rank = 3});
//   writer.append(event);
//   ...
//   const JournalReader reader(path);
//   for (const Event& event : reader.events()) ...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/event.h"

namespace hybrid {

/// The first bytes of a journal. Fixed layout; the magic number contains the version.
struct JournalHeader {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'J', 'R', 'N', 'L', '1'};
  char magic[8] = {};
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;            // 0, 1, ... in the order in which threads first communicated
  std::uint64_t ticks_per_second = 0;  // of Event::begin; updated when the calibration improves
  std::uint64_t origin_ticks = 0;      // the tick at which origin_ns was read
  std::uint64_t origin_ns = 0;         // CLOCK_REALTIME at that tick, to align the ranks
  std::uint64_t lost = 0;              // events dropped because the disk was full
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(JournalHeader) == 64);

/// Appends events to a new journal. Not thread-safe: one writer for each thread.
class JournalWriter {
 public:
  static constexpr std::size_t kSegmentEvents = 32768;  // 1 MiB

  /// Creates the file. Throws RunError if it exists or cannot be created.
  JournalWriter(const std::string& path, const JournalHeader& header);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Appends an event, or counts it as lost if the disk is full.
  void append(const Event& event) {
    if (next_ == end_ && !next_segment()) {
      ++header_->lost;
      return;
    }
    store(next_++, event);
  }
  /// Appends an event with `values`, with a `wide` extension before it if they need one.
  void append(Event event, const WideValues& values);

  JournalHeader& header() { return *header_; }
  std::uint64_t lost() const { return header_->lost; }
  /// Truncates the file to the written events. Events appended afterwards count as lost.
  void close();

 private:
  bool next_segment();

  // Stores the half that contains `kind` last: after a SIGKILL between the two stores, the slot is still
  // EventKind::none.
  static void store(Event* at, const Event& event) {
    constexpr std::size_t kHalf = sizeof(Event) / 2;
    static_assert(offsetof(Event, kind) < kHalf);
    auto* to = reinterpret_cast<char*>(at);
    const auto* from = reinterpret_cast<const char*>(&event);
    std::memcpy(to + kHalf, from + kHalf, kHalf);
    std::atomic_signal_fence(std::memory_order_release);
    std::memcpy(to, from, kHalf);
  }

  Event* next_ = nullptr;
  Event* end_ = nullptr;
  JournalHeader* header_ = nullptr;
  int file_ = -1;
  int process_ = 0;  // the creator: a forked child must not truncate its parent's file
  std::uint64_t segments_ = 0;
  bool full_ = false;
  JournalHeader last_header_;  // after close()
};

/// Reads a journal through a mapping of the whole file.
class JournalReader {
 public:
  /// Throws UserError for a missing file, a file of another kind, or a file that is too short for the header.
  /// A file that ends within an event is read up to the last whole event.
  explicit JournalReader(const std::string& path);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  const JournalHeader& header() const { return *header_; }
  /// The written events.
  std::span<const Event> events() const { return events_; }
  /// Returns the memory of the pages before `event` to the system. They stay readable (from the file). With
  /// this, reading a long journal front to back takes no more memory than a short one.
  void forget_before(const Event* event) const;
  /// Whether the thread ended normally (the last event is EventKind::finish).
  bool complete() const { return !events_.empty() && events_.back().kind == EventKind::finish; }

 private:
  const JournalHeader* header_ = nullptr;
  std::span<const Event> events_;
  void* mapping_ = nullptr;
  std::size_t length_ = 0;
};

}  // namespace hybrid
