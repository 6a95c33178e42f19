// A journal taken apart into what its thread did step by step: a call (with all that happened within it) or a
// mark between calls (a hint). Extensions are folded into the events that they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/event.h"

namespace hybrid {

/// One event with its extensions in hand.
struct JournalRecord {
  const Event* event = nullptr;
  std::span<const Event> extensions;  // directly before it in the journal
  WideValues values;                  // the full bytes, duration and communicator

  std::uint64_t end() const { return event->begin + values.duration; }
};

/// Events of one MPI call, or one mark.
///
/// The shim writes an event a transfer, all with the times of the call that they happened in (a wait for five
/// requests is five completions with one begin). So events belong to one call while they begin with it or
/// before it ends.
struct JournalStep {
  bool is_call = false;
  std::uint64_t begin = 0, end = 0;         // ticks
  std::optional<std::uint64_t> compute_ns;  // CPU time since the previous step, where it was measured
  std::vector<JournalRecord> records;       // a mark: exactly one; a call: hints within it, too

  /// The journal before this is not needed any more.
  const Event* first() const {
    const JournalRecord& record = records.front();
    return record.extensions.empty() ? record.event : record.extensions.data();
  }
};

class JournalSteps {
 public:
  explicit JournalSteps(std::span<const Event> events) : rest_(events) {}

  /// The next step, in place of `step`; false at the journal's end. Extensions that no event follows (the
  /// process died between them) are dropped.
  bool next(JournalStep& step);

 private:
  bool peek(JournalRecord& record, std::optional<std::uint64_t>& compute_ns) const;
  void take(const JournalRecord& record);

  std::span<const Event> rest_;
};

}  // namespace hybrid
