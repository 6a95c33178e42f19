// The time lines of a job recorded with --clock cpu: those of a job with a core for every thread.
//
// Between calls a thread gets the CPU time that it computed (where that was not measured, because the gap was
// too short to hide a preemption, the gap itself). What the calls took is dropped: on a machine with fewer
// cores than ranks it is mostly the time until the partner was scheduled. A call lasts until what it received
// was sent, or those that a collective waits for came to it, and else takes no time. So no message is
// received before it is sent, and the gaps, which the replay takes, are exact.
//
// Waited for are: the sends of receives; all members of a barrier, all-to-all, all-gather, all-reduce,
// reduce- scatter and fence; the root of a bcast and scatter; all members by the root of a gather and reduce.
// Scans, neighbourhood collectives, collectives of inter-communicators and the other one-sided
// synchronisations do not wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/time.h"
#include "libhybrid/recording/journal_calls.h"
#include "libhybrid/recording/rank_clocks.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

class CpuTimeline {
 public:
  /// Both must outlive the time line. Holds all journals mapped, and in memory the messages under way.
  CpuTimeline(const Recording& recording, const RankClocks& clocks);
  ~CpuTimeline();
  CpuTimeline(const CpuTimeline&) = delete;
  CpuTimeline& operator=(const CpuTimeline&) = delete;

  /// Calls `visit` for every step: the thread's index in the recording, the step, its begin and end. Each
  /// thread's steps come in order; those of different threads as causality orders them.
  using Visit = std::function<void(std::size_t, const JournalStep&, Time, Time)>;
  void run(const Visit& visit);

  /// Waits given up because what they waited for is in no journal (ranks that died, events lost).
  std::uint64_t given_up() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace hybrid
