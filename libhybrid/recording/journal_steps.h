// Reads a journal as a sequence of steps: a step is a call, with all events inside it, or a mark between
// calls (such as a hint). Extensions are attached to their events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/event.h"
#include "core/journal.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

/// An event with its extensions, in the step's `events`.
struct JournalRecord {
  const Event* event = nullptr;
  std::span<const Event> extensions;  // directly before the event in the journal
  WideValues values;                  // the full bytes, duration and communicator

  std::uint64_t end() const { return event->begin + values.duration; }
};

/// The events of an MPI call, or a mark.
///
/// The shim writes an event per transfer, all with the times of the call in which they happened (a wait for
/// five requests is five completions with one begin). An event therefore belongs to the call if it begins
/// with the call or before its end.
struct JournalStep {
  JournalStep() = default;
  JournalStep(const JournalStep&) = delete;
  JournalStep& operator=(const JournalStep&) = delete;

  bool is_call = false;
  std::uint64_t begin = 0, end = 0;         // ticks
  std::optional<std::uint64_t> compute_ns;  // CPU time since the previous step, if it was measured
  std::vector<JournalRecord> records;       // one for a mark; a call may contain hints, too
  std::vector<Event> events;
};

class JournalSteps {
 public:
  explicit JournalSteps(JournalEvents events) : events_(events) {}

  /// Replaces `step` by the next step. False at the end of the journal. Extensions without a following event
  /// (the process died between them) are dropped.
  bool next(JournalStep& step);

 private:
  /// Reads the next event with its extensions, unless it was read before.
  bool peek();
  /// Moves it to the step, whose records do not refer to its events yet.
  void take(JournalStep& step);

  JournalEvents events_;
  // The next event, if it was read:
  std::vector<Event> ahead_;  // its extensions, and itself
  WideValues values_;
  std::optional<std::uint64_t> compute_ns_;
};

/// Cursor over the steps of a recorded thread. Its memory does not grow with the length of the journal.
struct JournalCursor {
  /// Reads the first step. Throws UserError for a damaged journal.
  explicit JournalCursor(const Recording::Thread& recorded);
  /// Reads the next step.
  void next();

  std::uint32_t process, thread;
  JournalReader journal;
  JournalSteps steps;
  JournalStep step;  // valid if has_step
  bool has_step = false;
};

/// Calls visit(first, last) for each process: its threads are [first, last) in recording.threads.
template <class Visit>
void for_each_process(const Recording& recording, Visit visit) {
  const auto& threads = recording.threads;
  for (std::size_t first = 0; first < threads.size();) {
    std::size_t last = first + 1;
    while (last < threads.size() && threads[last].process == threads[first].process) ++last;
    visit(first, last);
    first = last;
  }
}

/// Calls visit(thread, step) for the steps of the threads [first, last), which belong to one process, in
/// order of their begin. One thread may complete an operation that another one started.
template <class Visit>
void for_each_step(const Recording& recording, std::size_t first, std::size_t last, Visit visit) {
  std::vector<std::unique_ptr<JournalCursor>> cursors;
  for (std::size_t i = first; i < last; ++i)
    cursors.push_back(std::make_unique<JournalCursor>(recording.threads[i]));
  while (true) {
    std::size_t next = cursors.size();
    for (std::size_t i = 0; i < cursors.size(); ++i)
      if (cursors[i]->has_step &&
          (next == cursors.size() || cursors[i]->step.begin < cursors[next]->step.begin))
        next = i;
    if (next == cursors.size()) return;
    visit(first + next, cursors[next]->step);
    cursors[next]->next();
  }
}

}  // namespace hybrid
