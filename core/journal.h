// Journal: the events of one thread, in a file.
//
// A process that is killed by SIGKILL loses no event that was already appended. append() is a few stores to
// mapped memory: no lock, no allocation, and no system call but once in a block.
//
// File: a page with the JournalHeader; the open block, which is mapped and filled by append(); then segments
// of 8192 checksums and as many blocks. A block is a number of events (once it is closed) and the encoded
// events (event_code.h), whose encoding refers to no other block. A full open block is copied to its place
// among the blocks, and filled anew: its pages stay in memory and in the cache, and a page fault for each
// page of the journal is avoided. An XXH3 checksum is written after the block that it belongs to, so that a
// block without one is still the open block. Files have mode 0600 and are created with O_EXCL. A full disk,
// or a limit on file sizes, is an error here and not a SIGBUS (or SIGXFSZ) in the program.
//
//   JournalWriter writer(path, {.rank = 3});
//   writer.append(event);
//   ...
//   const JournalReader reader(path);
//   JournalEvents events = reader.events();
//   for (Event event; events.next(event);) ...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/event_code.h"

namespace hybrid {

/// The first bytes of a journal. Fixed layout; the magic number contains the version.
struct JournalHeader {
  static constexpr char kMagic[8] = {'H', 'Y', 'B', 'J', 'R', 'N', 'L', '6'};
  char magic[8] = {};
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;            // 0, 1, ... in the order in which threads first communicated
  std::uint64_t ticks_per_second = 0;  // of Event::begin; updated when the calibration improves
  std::uint64_t origin_ticks = 0;      // the tick at which origin_ns was read
  std::uint64_t origin_ns = 0;         // CLOCK_REALTIME at that tick, to align the ranks
  std::uint64_t checksum = 0;          // of the fields above
  std::uint64_t next_checksum = 0;     // while a field changes
  std::uint64_t lost = 0;              // events dropped because the disk was full
  std::uint64_t events = 0;            // appended, or one more or less
  std::uint64_t words = 0;  // appended: kBlockWords for each closed block, and those in the open one
};
static_assert(sizeof(JournalHeader) == 80);

/// Appends events to a new journal. Not thread-safe: one writer for each thread.
class JournalWriter {
 public:
  static constexpr std::size_t kBlockWords = 2048;  // 16 KiB: a core's cache holds those of several ranks

  /// Creates the file. Throws RunError if it exists or cannot be created.
  JournalWriter(const std::string& path, const JournalHeader& header);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Appends an event. False, and the event is counted as lost, if the disk is full.
  bool append(const Event& e) { return append(e.begin, e.duration, EventRest(e), e.request); }
  /// The same, from values that are not in memory yet.
  [[gnu::always_inline]] bool append(std::uint64_t begin, std::uint64_t duration, const EventRest& rest,
                                     std::uint32_t request) {
    if (next_ >= end_ && !next_block()) [[unlikely]] {
      ++header_->lost;
      return false;
    }
    count(encoder_.encode(begin, duration, rest, request, next_));
    return true;
  }
  /// Allows append_again() until the next event is appended.
  void allow_again() { encoder_.allow_again(); }
  bool is_repeatable() const { return encoder_.is_repeatable(); }
  /// Appends the last event again, with another begin, if that takes few instructions; otherwise returns
  /// false. Requires: is_repeatable(), and the last event had duration 0 and no request.
  [[gnu::always_inline]] bool append_again(std::uint64_t begin) {
    if (next_ >= end_) [[unlikely]]
      return false;
    std::uint64_t* const next = encoder_.encode_again(begin, next_);
    if (next == nullptr) [[unlikely]]
      return false;
    count(next);
    return true;
  }
  /// Appends an event with `values`, with a `wide` extension before it if they need one.
  bool append(Event event, const WideValues& values);

  const JournalHeader& header() const { return *header_; }
  /// Replaces the rate of the clock.
  void set_ticks_per_second(std::uint64_t rate);
  std::uint64_t lost() const { return header_->lost; }
  /// Completes the file. Events appended afterwards count as lost.
  void close();

 private:
  /// Counts an event, which ends before `next`.
  [[gnu::always_inline]] void count(std::uint64_t* next) {
    JournalHeader& header = *header_;
    ++header.events;
    // After the event: a process that dies between the two has not appended it.
    std::atomic_signal_fence(std::memory_order_release);
    header.words += static_cast<std::uint64_t>(next - next_);
    next_ = next;
  }
  /// Makes room for an event. False if the disk is full.
  bool next_block();
  bool map_open_block();
  /// Writes the open block, then its checksum, to their places. False if the disk is full.
  bool write_block();
  void unmap_checksums();

  JournalHeader* header_ = nullptr;
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;  // from here on there may be no room for an event
  EventEncoder encoder_;
  std::uint64_t before_ = 0;            // events in closed blocks
  std::uint64_t* open_ = nullptr;       // nullptr: nothing is appended yet
  std::uint64_t* checksums_ = nullptr;  // of the segment that write_block() wrote to last
  int file_ = -1;
  int process_ = 0;  // the creator: a forked child must not write its parent's file
  bool full_ = false;
  JournalHeader last_header_;  // after close()
};

class JournalReader;

/// A pass over the events of a journal. Its memory does not grow with the length of the journal. The reader
/// must outlive it.
class JournalEvents {
 public:
  explicit JournalEvents(const JournalReader& reader) : reader_(&reader) {}
  /// Reads the next event; false after the last one.
  bool next(Event& event);

 private:
  const JournalReader* reader_;
  std::uint64_t blocks_ = 0;  // begun
  EventDecoder decoder_;
};

/// Reads a journal through a mapping of the file, in which the blocks of all segments follow each other.
class JournalReader {
 public:
  /// Throws UserError for a missing file, a file of another kind, a file that is too short for the header, or
  /// a header with a wrong checksum. Reads all blocks once to compare the checksums; only the open block of a
  /// process that died has none.
  explicit JournalReader(const std::string& path);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  const JournalHeader& header() const { return *header_; }
  /// The appended events, up to the first damaged block.
  JournalEvents events() const { return JournalEvents(*this); }
  /// Their number.
  std::uint64_t size() const { return size_; }
  /// A sentence about the first damaged block; "" if there is none.
  const std::string& damage() const { return damage_; }
  /// Whether the thread ended normally (the last event is EventKind::finish).
  bool complete() const { return complete_; }

 private:
  friend class JournalEvents;
  struct Mapped {
    std::uint64_t blocks = 0;  // that are in the mapping
    std::uint64_t closed = 0;  // of these, those with a checksum
  };
  /// Maps the blocks that the file has.
  Mapped map_blocks(const std::string& path, int file, std::uint64_t length);
  void verify(const std::string& path, const Mapped& mapped);
  /// The encoded events of a block.
  std::span<const std::uint64_t> events_of(std::uint64_t block) const;
  /// Returns the memory of the pages before `block` to the system. They stay readable (from the file).
  void forget_before(std::uint64_t block) const;

  const JournalHeader* header_ = nullptr;
  void* header_page_ = nullptr;
  void* mapping_ = nullptr;   // of the blocks
  std::size_t length_ = 0;    // of the mapping
  std::uint64_t blocks_ = 0;  // up to the first damaged one
  std::uint64_t size_ = 0;
  bool complete_ = false;
  std::vector<std::uint64_t> checksums_;
  std::string damage_;
};

}  // namespace hybrid
