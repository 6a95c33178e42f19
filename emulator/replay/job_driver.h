// Replays a job's operations on a technique: one state machine for each location, which continues when what
// its operation waits for has happened.
//
// The driver fetches and dispatches operations; what each kind does is described with the part that performs
// it: PointToPoint, CollectiveRuns, OneSided, JobPhases. Nonblocking operations continue while the rank
// computes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "emulator/network/collective_plane.h"
#include "emulator/network/technique.h"
#include "emulator/replay/collective_runs.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_location.h"
#include "emulator/replay/job_messages.h"
#include "emulator/replay/job_phases.h"
#include "emulator/replay/one_sided.h"
#include "emulator/replay/point_to_point.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// Port of each rank: that of the options, else that of the trace, else port r for rank r. Throws UserError
/// when the options' placement has another number of ranks.
std::vector<std::uint32_t> placement_of(const JobTrace& trace, const ReplayOptions& options);

class JobDriver {
 public:
  /// `plane`: performs broadcasts and barriers; nullptr: they are messages as all other collectives. The
  /// references must outlive the driver.
  JobDriver(JobTrace& trace, Technique& technique, std::vector<std::uint32_t> placement,
            const ReplayOptions& options, CollectivePlane* plane = nullptr);
  JobDriver(const JobDriver&) = delete;
  JobDriver& operator=(const JobDriver&) = delete;

  /// Replays the job to its end. Throws UserError. To be called once.
  void run();
  /// After run(): sets the measures that the driver knows (times, messages, latencies, hits, phases) and the
  /// warnings; no utilisations.
  void report(ReplayResult& result) const;

 private:
  using Request = std::variant<MessageHandle, ReceiveHandle, CollectiveHandle>;
  __extension__ using Sum = __int128;  // the times of a large job together do not fit into a Time
  struct CallWait {
    std::uint32_t call;
    Sum wait;
  };
  struct Rank {
    std::unordered_map<std::uint64_t, Request> requests;  // open, by number
    std::uint32_t running = 0;                            // locations that have not finished
    Time end{}, compute{};
  };

  void perform(const JobEvents::Action& action);
  void apply(const JobMessages::Progress& progress);
  void resume(const Waiter& waiter);
  /// Fetches the next operation. False if there is none, or the location first computes.
  bool fetch(LocationHandle handle);
  /// Performs operations, from the current one on, until one waits or the location computes.
  void step(LocationHandle handle);
  /// Performs the current operation. False if it waits.
  bool execute(LocationHandle handle);
  void finish(LocationHandle handle);
  void count_wait(const Operation& operation, Time wait);
  /// Nothing can continue: completes receives or collectives of an incomplete recording without their
  /// messages, or throws UnfinishedReplay.
  void resolve_stall();

  Caller caller(LocationHandle handle) const {
    return {handle, locations_[handle.index].rank, phases_.measured_phase(handle)};
  }
  void open_request(const JobLocation& location, const Request& request);
  /// Removes the request that the location's operation names; none if it is not open or of another kind.
  template <class Handle>
  std::optional<Handle> close_request(const JobLocation& location);

  JobTrace& trace_;
  Technique& technique_;
  const std::vector<std::uint32_t> placement_;
  const ReplayOptions& options_;
  const bool observes_ranks_;

  JobEvents events_;
  JobPhases phases_;
  JobMessages messages_;
  PointToPoint point_to_point_;
  CollectiveRuns collectives_;
  OneSided one_sided_;

  std::vector<JobLocation> locations_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<CallWait>> call_waits_;  // by call site; mostly one call each
  std::uint64_t operations_ = 0;                   // fetched
  std::uint64_t unfinished_ = 0;                   // locations
  std::uint64_t dropped_receives_ = 0;             // of an incomplete recording
};

}  // namespace hybrid
