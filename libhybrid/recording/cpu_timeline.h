// Time line of a job recorded with --clock cpu, as if each thread had a core.
//
// The gap between two calls of a thread is the CPU time that the thread computed. If the journal does not
// have it, the thread ran all the time, and it is the recorded gap. The recorded duration of calls is
// dropped: on a machine with fewer cores than ranks it is mostly the time until the partner was scheduled. A
// call lasts until the messages that it receives are sent, or until the ranks that its collective waits for
// have entered it; otherwise it takes no time. So no message is received before it is sent, and the gaps,
// which the replay uses, are exact.
//
// Calls wait as follows:
//   receive                                                      for the send
//   barrier, all-to-all, all-gather, all-reduce, reduce-scatter,
//   fence                                                        for all members
//   bcast, scatter                                               for the root
//   gather, reduce                                               the root for all members
//   scan, neighbourhood collectives, collectives of
//   inter-communicators, other one-sided synchronisations        not
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/time.h"
#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/rank_clocks.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

class CpuTimeline {
 public:
  /// Both must outlive the time line. Maps all journals; its memory grows with the number of messages that
  /// are sent and not received.
  CpuTimeline(const Recording& recording, const RankClocks& clocks);
  ~CpuTimeline();
  CpuTimeline(const CpuTimeline&) = delete;
  CpuTimeline& operator=(const CpuTimeline&) = delete;

  /// Calls `visit` for every step with the index of the thread in the recording, the step, its begin and its
  /// end. The steps of a thread come in their order; no receive comes before its send.
  using Visit = std::function<void(std::size_t, const JournalStep&, Time, Time)>;
  void run(const Visit& visit);

  /// Number of waits that were given up since no journal has the event that they waited for (of ranks that
  /// died, or lost).
  std::uint64_t given_up() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace hybrid
