// The recording of one thread: its journal, the time between its calls, its run of empty polls. Knows no MPI
// type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/journal.h"
#include "libhybrid/shim/call_sites.h"
#include "libhybrid/shim/clock.h"
#include "libhybrid/shim/compute_clock.h"

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

/// Settings of the recording, the same for all threads of a process.
struct RecordingRules {
  TickScale scale;
  bool cpu_clock = false;      // compute times from the thread's CPU clock
  bool sees_switches = false;  // ContextSwitches::visible()
  CallSites* sites = nullptr;  // of the process; nullptr: events have no call sites
};

class Thread {
 public:
  /// Opens the journal. Throws RunError.
  Thread(const std::string& journal_path, const JournalHeader& header, const RecordingRules& rules);

  /// Begins a call that returns to `returns_to` (0: unknown). Returns its time.
  Ticks enter(std::uintptr_t returns_to = 0) {
    const Ticks now = ticks();
    call_site_ = sites_.number(returns_to);
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
  void record(const Record& record, Ticks begin, Ticks end) {
    if (polling_ || pending_compute_ != kNone) [[unlikely]]
      before_event();
    append(record, begin, end);
    if (rules_.cpu_clock && end != last_end_) [[unlikely]]
      compute_.settle(begin, end, call_site_);
    last_end_ = end;
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
  /// Continues the journal for another thread, which has another CPU clock. The time in between counts as no
  /// thread's compute time.
  void resume();

  /// Writes the thread's last event, with the refined rate of the clock, and closes the journal. `at`: end of
  /// the recording.
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

  void append(const Record& record, Ticks begin, Ticks end) {
    const WideValues wide{record.bytes, end - begin, record.communicator};
    if (needs_wide(wide)) [[unlikely]]
      append_wide(record, begin, wide);
    else
      journal_->append(begin, wide.duration,
                       EventRest(call_site_ & kMostCallSites, record.kind, record.op, record.communicator,
                                 record.peer, record.tag, record.bytes),
                       record.request);
    if (journal_->lost() != 0) [[unlikely]]
      report_loss();
  }
  void append_wide(const Record& record, Ticks begin, const WideValues& values);
  void before_event();
  void write_poll();
  void measure_gap(Ticks now);
  void report_loss();

  RecordingRules rules_;
  std::unique_ptr<JournalWriter> journal_;
  CallSiteCache sites_;
  std::uint32_t call_site_ = 0;  // of the current call
  Ticks last_end_ = 0;           // of the last event
  bool polling_ = false;
  Ticks poll_begin_ = 0, poll_end_ = 0;
  Ticks poll_merge_ = 0;  // polls closer together than this are one run
  std::uint64_t lost_ = 0;
  std::array<std::vector<std::byte>, 3> scratch_;

  ComputeClock compute_;                   // with rules_.cpu_clock
  std::uint64_t pending_compute_ = kNone;  // nanoseconds of CPU time of the gap before the next event
};

}  // namespace hybrid::shim
