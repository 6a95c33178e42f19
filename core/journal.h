// The journal: what one thread did, appended to a memory-mapped file, so that a process killed by SIGKILL
// loses nothing already recorded. Appending is a store and an add: no lock, no allocation; a system call only
// once per kSegmentEvents events, when the next segment is mapped.
//
// File: one JournalHeader, then events. Unwritten space is zero (EventKind::none), which ends the journal of
// a process that died. Files are 0600 and created with O_EXCL; the disk space of a segment is reserved before
// it is mapped, so that a full disk (or a limit on the size of files) is noticed here and never as SIGBUS (or
// SIGXFSZ) in the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/event.h"

namespace hybrid {

/// First bytes of a journal. Fixed layout, version in the magic.
struct JournalHeader {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'J', 'R', 'N', 'L', '1'};
  char magic[8] = {};
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;            // 0, 1, ... in the order in which threads first communicated
  std::uint64_t ticks_per_second = 0;  // of Event::begin; rewritten when calibration improves
  std::uint64_t origin_ticks = 0;      // the tick at which origin_ns was read
  std::uint64_t origin_ns = 0;         // CLOCK_REALTIME then, to lay ranks over each other
  std::uint64_t lost = 0;              // events dropped because the disk was full
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(JournalHeader) == 64);

class JournalWriter {
 public:
  static constexpr std::size_t kSegmentEvents = 32768;  // 1 MiB

  /// Creates the file (which must not exist). Throws RunError when that fails.
  JournalWriter(const std::string& path, const JournalHeader& header);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void append(const Event& event) {
    if (next_ == end_ && !next_segment()) {
      ++header_->lost;
      return;
    }
    store(next_++, event);
  }
  /// Appends an event whose values may need the wide form. `values` overrides the event's narrow fields.
  void append(Event event, const WideValues& values);

  JournalHeader& header() { return *header_; }
  std::uint64_t lost() const { return header_->lost; }
  /// Trims the file to what was written. What is appended afterwards counts as lost.
  void close();

 private:
  bool next_segment();

  // The half that holds `kind` last: SIGKILL between the two stores leaves no half event that would count.
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
  int process_ = 0;  // that made it: a forked child must not trim the file under its parent
  std::uint64_t segments_ = 0;
  bool full_ = false;
  JournalHeader last_header_;  // once closed
};

/// Reads a journal front to back through a mapping of the whole file.
class JournalReader {
 public:
  /// Throws UserError for a missing file, another kind of file, or one too short for its header. A file cut
  /// in the middle of an event is read up to the last whole one.
  explicit JournalReader(const std::string& path);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  const JournalHeader& header() const { return *header_; }
  /// The written events.
  std::span<const Event> events() const { return events_; }
  /// Gives back the memory that the mapping takes before `event`, which stays readable (from the file again):
  /// a long journal that is read front to back takes no more than a short one.
  void forget_before(const Event* event) const;
  /// Whether the thread came to its end (the last event is EventKind::finish).
  bool complete() const { return !events_.empty() && events_.back().kind == EventKind::finish; }

 private:
  const JournalHeader* header_ = nullptr;
  std::span<const Event> events_;
  void* mapping_ = nullptr;
  std::size_t length_ = 0;
};

}  // namespace hybrid
