// Collectives of a replayed job, performed round by round as messages (emulator/replay/collective.h) or left
// to the fabric (emulator/replay/fabric_collectives.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/pool.h"
#include "emulator/replay/collective.h"
#include "emulator/replay/communicators.h"
#include "emulator/replay/fabric_collectives.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_location.h"
#include "emulator/replay/point_to_point.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// One rank's part in a collective. Its slot is released when it is done and its request is closed.
struct CollectivePart {
  CollectiveCall call;  // its spans are of the vectors below
  std::vector<Bytes> counts_sent, counts_received;
  std::vector<std::uint32_t> neighbors_out, neighbors_in;
  const Communicators::View* view = nullptr;
  const CollectiveAlgorithm* algorithm = nullptr;  // nullptr: the rank is alone
  std::uint64_t instance = 0;                      // the collective
  std::uint32_t phase = 0, rank = 0;
  std::uint32_t rounds = 0, next_round = 0;
  std::uint32_t outstanding = 0;  // messages of the current round that it waits for
  Waiter waiter;                  // continues when it is done
  bool done = false;
  bool requested = true;  // nothing has waited for it yet
};

class CollectiveRuns {
 public:
  /// `plane`: performs broadcasts and barriers; nullptr: all collectives are messages.
  CollectiveRuns(const JobTrace& trace, const ReplayOptions& options, PointToPoint& point_to_point,
                 JobMessages& messages, JobEvents& events, CollectivePlane* plane);

  /// Begins the caller's part of the collective that `operation` describes. The caller must wait() for it or
  /// abandon() it. Throws UnfinishedReplay when ranks call different collectives.
  CollectiveHandle begin(const Caller& caller, const Operation& operation);
  /// True if the part is done; else `waiter` continues when it is. Closes the request.
  bool wait(CollectiveHandle handle, const Waiter& waiter);
  /// Closes the request without waiting.
  void abandon(CollectiveHandle handle);

  /// A message that the part waits for has arrived, or has left.
  void message_done(CollectiveHandle handle) {
    if (--parts_[handle].outstanding == 0) advance(handle);
  }
  /// The fabric has completed the part.
  void end(CollectiveHandle handle);

  FabricCollectives& fabric() { return fabric_; }
  const FabricCollectives& fabric() const { return fabric_; }

 private:
  using Start = std::array<std::uint32_t, 3>;  // communicator, number, number of the start

  /// What all ranks of a collective must agree on; the first one to begin it decides.
  struct Instance {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint32_t root = 0;  // world rank
    Bytes bytes = 0;
    std::vector<Bytes> counts_received;
    const CollectiveAlgorithm* algorithm = nullptr;
    std::uint32_t first_rank = 0;
    std::uint32_t begun = 0, ended = 0;  // parts
    std::optional<Start> start;
  };

  /// Finds the collective that a rank's call belongs to.
  Instance& instance_of(CollectivePart& part, const Operation& operation, Communicators::View& view);
  void join_instance(CollectivePart& part, const Operation& operation, Communicators::View& view);
  /// Performs rounds until one has to wait for messages.
  void advance(CollectiveHandle handle);

  PointToPoint& point_to_point_;
  JobEvents& events_;
  CollectiveAlgorithms algorithms_;
  Communicators communicators_;
  FabricCollectives fabric_;
  Pool<CollectivePart> parts_;
  std::unordered_map<std::uint64_t, Instance> instances_;
  /// Starts of persistent collectives that are in progress -> their ids.
  std::map<Start, std::uint32_t> started_;
  std::uint32_t next_start_ = 0;
  Round round_;  // scratch
};

}  // namespace hybrid
