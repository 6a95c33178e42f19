// A recorded thread's journal, read step by step.
#pragma once

#include <cstdint>

#include "core/journal.h"
#include "libhybrid/recording/journal_calls.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

struct JournalTrack {
  /// Stands at the first step. Throws UserError for a damaged journal.
  explicit JournalTrack(const Recording::Thread& recorded)
      : process(recorded.process),
        thread(recorded.thread),
        journal(recorded.journal),
        steps(journal.events()) {
    next();
  }
  /// Goes on. The memory taken does not grow with what was read.
  void next() {
    more = steps.next(step);
    if (more && ++taken % kForgetAfter == 0) journal.forget_before(step.first());
  }

  static constexpr std::uint64_t kForgetAfter = 4096;  // steps
  std::uint32_t process, thread;
  JournalReader journal;
  JournalSteps steps;
  JournalStep step;  // where `more` holds
  bool more = false;
  std::uint64_t taken = 0;
};

}  // namespace hybrid
