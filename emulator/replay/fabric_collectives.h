// Broadcasts and barriers of a replayed job that the fabric performs (emulator/network/collective_plane.h).
//
// A broadcast's root is done when its last word has left. The other members are done when it has arrived, or
// at once if it arrived before they called. Members on the root's port receive it through shared memory, as
// any message between ranks of one port.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/measures.h"
#include "emulator/network/collective_plane.h"
#include "emulator/replay/collective.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_messages.h"

namespace hybrid {

class FabricCollectives {
 public:
  /// `plane`: nullptr if the fabric performs none.
  FabricCollectives(CollectivePlane* plane, const ReplayOptions& options, JobMessages& messages,
                    JobEvents& events)
      : plane_(plane), options_(options), messages_(messages), events_(events) {}

  bool performs(const CollectiveCall& call) const { return plane_ != nullptr && call.by_fabric(); }
  /// A rank has called. Schedules a FabricCompletion for its part, at the latest when all members have
  /// called. Requires: performs(part.call).
  void join(CollectiveHandle handle, const CollectivePart& part);

  /// For a recording that lacks members of a collective, when nothing can continue: completes the parts that
  /// wait in the first such collective. Returns their number.
  std::uint64_t drop_waiting();

  /// Sets the copies that the plane delivered; nothing without a plane.
  void report(Measures& measures) const;

 private:
  struct Member {
    CollectiveHandle part;
    std::uint32_t rank = 0;
  };
  struct Instance {
    std::vector<Member> waiting;
    std::uint32_t joined = 0;  // members
    // Of a broadcast that was sent:
    bool sent = false;
    Port source = 0;
    Time local{}, copied{};  // arrival on the root's port and on the others
  };

  void complete(Time at, CollectiveHandle part) { events_.schedule(at, JobEvents::FabricCompletion{part}); }
  /// Sends a broadcast; returns when its last word has left.
  Time broadcast(const CollectivePart& part, Instance& instance);
  /// When a member has a broadcast that was sent and has called.
  Time arrival(std::uint32_t rank, const Instance& instance) const;

  CollectivePlane* plane_;
  const ReplayOptions& options_;
  JobMessages& messages_;
  JobEvents& events_;
  std::unordered_map<std::uint64_t, Instance> instances_;  // by CollectivePart::instance
  MulticastCopies copies_;
};

}  // namespace hybrid
