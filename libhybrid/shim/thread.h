// One thread's recording: its journal, the time between its calls, its run of empty polls. Knows no MPI type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/journal.h"
#include "libhybrid/shim/clock.h"

namespace hybrid::shim {

/// An event's values in full width.
struct Record {
  EventKind kind = EventKind::call;
  std::uint8_t op = 0;
  std::uint32_t communicator = 0;
  std::int32_t peer = kNoPeer;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t request = 0;
};

/// How a thread records; the same for all threads of a process.
struct RecordingRules {
  TickScale scale;
  bool cpu_clock = false;  // compute times from the thread's CPU clock
};

/// Incremented by the progress hook when this thread gave up its core (yield.cpp).
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint32_t yields_of_thread;

class Thread {
 public:
  /// Opens the journal. Throws RunError.
  Thread(const std::string& journal_path, const JournalHeader& header, const RecordingRules& rules);

  /// A call begins.
  Ticks enter() {
    const Ticks now = ticks();
    if (rules_.cpu_clock) [[unlikely]]
      measure_gap(now);
    return now;
  }

  /// Writes an event of a call that took from `begin` to `end`; all events of one call have the same.
  void record(const Record& record, Ticks begin, Ticks end) {
    if (polling_ || pending_compute_ != kNone) [[unlikely]]
      before_event();
    append(record, begin, end);
    if (rules_.cpu_clock && end != last_end_) [[unlikely]]
      measure_call(begin, end);
    last_end_ = end;
  }

  /// An empty poll: merged with the ones just before.
  void poll(Ticks begin, Ticks end);

  /// What belongs to the next event and takes no time: its extensions, a predictor's decisions, hints.
  void extension(Extension what, std::int32_t peer, std::uint64_t value);
  void decision(EventKind kind, std::uint32_t peer, Ticks at);

  /// Writes what is held back. A thread of its own that is not inside a call.
  void flush() {
    if (polling_) write_poll();
  }
  /// Another thread goes on with this journal: its CPU clock is another, and the time between was nobody's.
  void resume();

  /// The thread's last event; closes the journal. `end` of the recording, refined rate.
  void finish(Ticks at, std::uint64_t ticks_per_second);

  /// Memory for one call, one piece for each purpose. Grown to the largest call and kept as long as this
  /// object, which outlives what the thread itself has: MPI is also called by destructors that run at the
  /// thread's or the program's end. Calls do not nest (OutermostCall), so that one piece each is enough.
  enum class Scratch : std::uint8_t { handles, requests, statuses };
  void* scratch(Scratch purpose, std::size_t bytes) {
    auto& memory = scratch_[static_cast<std::size_t>(purpose)];
    if (memory.size() < bytes) memory.resize(bytes);
    return memory.data();
  }

  std::uint64_t lost() const { return lost_; }
  const RecordingRules& rules() const { return rules_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  void append(const Record& record, Ticks begin, Ticks end) {
    const WideValues wide{record.bytes, end - begin, record.communicator};
    Event event;
    event.begin = begin;
    event.kind = record.kind;
    event.op = record.op;
    event.peer = record.peer;
    event.tag = record.tag;
    event.request = record.request;
    if (needs_wide(wide)) [[unlikely]] {
      journal_->append(event, wide);
    } else {
      event.duration = static_cast<std::uint32_t>(wide.duration);
      event.communicator = static_cast<std::uint16_t>(wide.communicator);
      event.bytes = static_cast<std::uint32_t>(wide.bytes);
      journal_->append(event);
    }
    if (journal_->lost() != 0) [[unlikely]]
      tell_of_loss();
  }
  void before_event();
  void write_poll();
  void measure_gap(Ticks now);
  void measure_call(Ticks begin, Ticks end);
  void tell_of_loss();

  RecordingRules rules_;
  std::unique_ptr<JournalWriter> journal_;
  Ticks last_end_ = 0;  // of the last event
  bool polling_ = false;
  Ticks poll_begin_ = 0, poll_end_ = 0;
  Ticks poll_merge_ = 0;  // polls closer together than this are one run
  std::uint64_t lost_ = 0;
  std::array<std::vector<std::byte>, 3> scratch_;

  // The CPU clock (rules_.cpu_clock): read at cpu_at_, and from there on the thread is taken to be running.
  Ticks long_interval_ = 0;  // an interval this long may hide a preemption
  Ticks cpu_at_ = 0;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t pending_compute_ = kNone;  // of the gap before the next event
  std::uint32_t yields_seen_ = 0;
};

}  // namespace hybrid::shim
