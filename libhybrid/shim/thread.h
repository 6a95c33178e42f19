// The recording of one thread: its journal, the time between its calls, its run of empty polls. Knows no MPI
// type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/journal.h"
#include "libhybrid/shim/call_sites.h"
#include "libhybrid/shim/clock.h"
#include "libhybrid/shim/compute_clock.h"
#include "libhybrid/shim/interposition.h"

namespace hybrid::shim {

/// Values of an event in full width.
struct Record {
  EventKind kind = EventKind::call;
  std::uint8_t op = 0;
  std::uint32_t communicator = 0;
  std::int32_t peer = kNoPeer;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t request = 0;
};

/// A call that moves no data: a send to MPI_PROC_NULL. Calls with equal values are recorded as equal events.
struct NullCall {
  std::uintptr_t returns_to = 0;
  std::uint64_t count_and_mode = 0, objects = 0;  // MPI's handles
  std::int32_t tag = 0;

  bool operator==(const NullCall& other) const {
    return ((returns_to ^ other.returns_to) | (count_and_mode ^ other.count_and_mode) |
            (objects ^ other.objects) | static_cast<std::uint32_t>(tag ^ other.tag)) == 0;
  }
};

/// Settings of the recording, the same for all threads of a process.
struct RecordingRules {
  TickScale scale;
  bool cpu_clock = false;      // compute times from the thread's CPU clock
  bool sees_switches = false;  // ContextSwitches::visible()
  double sharing = 1;          // JobLayout::sharing()
  CallSites* sites = nullptr;  // of the process; nullptr: events have no call sites
};

class alignas(64) Thread {
 public:
  /// Opens the journal. Throws RunError.
  Thread(const std::string& journal_path, const JournalHeader& header, const RecordingRules& rules);

  /// Begins a call that returns to `returns_to` (0: unknown). Returns its time.
  Ticks enter(std::uintptr_t returns_to = 0) { return enter(returns_to, ticks()); }
  /// The same for a call that began at `now`.
  Ticks enter(std::uintptr_t returns_to, Ticks now) {
    call_site_ = sites_.number(returns_to, called_function());
    if (rules_.cpu_clock) [[unlikely]]
      measure_gap(now);
    return now;
  }
  /// Ends it. Returns its time.
  Ticks leave() {
    if (rules_.cpu_clock) [[unlikely]]
      return compute_.end_call();
    return ticks();
  }

  /// Writes an event of a call that took from `begin` to `end`. All events of a call have the same times.
  [[gnu::always_inline]] void record(const Record& record, Ticks begin, Ticks end) {
    if (polling_ || pending_compute_ != kNone) [[unlikely]]
      before_event();
    append(record, begin, end);
    if (rules_.cpu_clock && end != last_end_) [[unlikely]]
      compute_.settle(begin, end, call_site_);
    last_end_ = end;
  }

  /// Calls of MPI_PROC_NULL take a few nanoseconds: a loop of them is recorded with few instructions. After
  /// record() of such a call with `record`, record_again() may record equal ones until another event is
  /// recorded. They have no duration. Requires: no CPU clock, which measures the gap before each call.
  void allow_again(const NullCall& call, const Record& record) {
    if (needs_wide({record.bytes, 0, record.communicator})) return;  // two events
    null_call_ = call;
    journal_.allow_again();
  }
  bool may_record_again(const NullCall& call) const {
    return journal_.is_repeatable() && !polling_ && call == null_call_;
  }
  /// False if the call has to be recorded by enter() and record().
  [[gnu::always_inline]] bool record_again(Ticks at) {
    if (!journal_.append_again(at)) [[unlikely]]
      return false;
    last_end_ = at;
    return true;
  }

  /// Records an empty poll. Runs of polls become one event.
  void poll(Ticks begin, Ticks end);

  /// Writes an extension of the next event.
  void extension(Extension what, std::int32_t peer, std::uint64_t value);
  /// Writes an event without a duration: a decision of the predictor, or a hint.
  void decision(EventKind kind, std::uint32_t peer, Ticks at);

  /// Writes the pending run of polls. Precondition: the thread is not inside a call.
  void flush() {
    if (polling_) write_poll();
  }
  /// Ends the thread's part of the journal, with the time since its last call. To be called by the thread.
  void end();
  /// Continues the journal for another thread, which has another CPU clock. The time in between counts as no
  /// thread's compute time.
  void resume();

  /// Writes the thread's last event, with the refined rate of the clock, and closes the journal. `at`: end of
  /// the recording; 0: the time after the last event counts as no thread's compute time.
  void finish(Ticks at, std::uint64_t ticks_per_second);

  /// Returns memory of at least `bytes` for the current call, one piece for each purpose. A piece grows to
  /// the largest call and lives as long as this object, which outlives the thread's own objects: destructors
  /// that run at the end of the thread or the program call MPI, too. Calls do not nest (OutermostCall), so
  /// one piece for each purpose is enough.
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

  [[gnu::always_inline]] void append(const Record& record, Ticks begin, Ticks end) {
    const Ticks duration = end - begin;
    if (needs_wide({record.bytes, duration, record.communicator})) [[unlikely]]
      return append_wide(record, begin, duration);
    const EventRest rest(call_site_ & kMostCallSites, record.kind, record.op, record.communicator,
                         record.peer, record.tag, record.bytes);
    if (!journal_.append(begin, duration, rest, record.request)) [[unlikely]]
      report_loss();
  }
  // A copy of the record: the original stays in registers.
  [[gnu::cold]] void append_wide(Record record, Ticks begin, Ticks duration);
  void before_event();
  void write_poll();
  void measure_gap(Ticks now);
  void report_loss();

  // What every event needs comes first, in few cache lines.
  RecordingRules rules_;
  std::uint32_t call_site_ = 0;  // of the current call
  bool polling_ = false;
  Ticks last_end_ = 0;                     // of the last event
  std::uint64_t pending_compute_ = kNone;  // nanoseconds of CPU time of the gap before the next event
  JournalWriter journal_;
  CallSiteCache sites_;
  ComputeClock compute_;  // with rules_.cpu_clock
  NullCall null_call_;
  Ticks poll_begin_ = 0, poll_end_ = 0;
  Ticks poll_merge_ = 0;  // polls closer together than this are one run
  std::uint64_t lost_ = 0;
  std::array<std::vector<std::byte>, 3> scratch_;
};

}  // namespace hybrid::shim
