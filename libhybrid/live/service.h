// The service of a host: takes the asks of the host's ranks out of shared memory, sees that they reach the
// scheduler port, and keeps the ranks' rows of established connections. One step at a time, on a clock that
// is passed in; the thread around it is in libhybrid/live/service_thread.h.
//
// Host 0's service owns the scheduler port (OwningService); the others forward (ForwardingService) through
// message queues that the host's first rank carries (HostLink).
//
// Asks carry the time at which they were made, so that the model schedules as if it had been asked then; only
// the rows follow later, when the service runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/port_set.h"
#include "core/time.h"
#include "libhybrid/live/arbiter.h"
#include "libhybrid/live/host_message.h"
#include "libhybrid/live/message_ring.h"
#include "libhybrid/live/region.h"
#include "libhybrid/live/timeline.h"

namespace hybrid {

class LiveService {
 public:
  virtual ~LiveService() = default;
  /// Takes what was asked, moves the model to the clock's now, updates the rows. True when there was anything
  /// to do, or the model has something due: the next step should come soon.
  virtual bool step() = 0;
};

/// The asks of one host's ranks.
class AskCollector {
 public:
  AskCollector(LiveRegion& region, const LiveClock& clock);
  /// Appends at most `limit` asks, each rank's in order; the ranks take turns at being first. A rank that has
  /// finished flushes at last.
  void collect(std::vector<TimedAsk>& asks, std::size_t limit);
  Time now() const { return timeline_.at(clock_.ticks()); }

 private:
  LiveRegion& region_;
  LiveClock clock_;
  LiveTimeline timeline_;
  std::vector<bool> finished_;
  std::uint32_t first_ = 0;
};

class OwningService final : public LiveService {
 public:
  /// `host_of_rank`, `port_of_rank` by world rank; `outboxes` by host (null for host 0), `inbox` for what all
  /// hosts send; both empty or null when there is one host only. All references outlive the service.
  OwningService(LiveRegion& region, const LiveClock& clock, LiveArbiter arbiter,
                std::span<const std::uint32_t> host_of_rank, std::span<const Port> port_of_rank,
                MessageRing* inbox, std::span<const std::unique_ptr<MessageRing>> outboxes);
  bool step() override;

 private:
  /// What another host has to be told of the rows of its ports.
  struct Peer {
    MessageRing* outbox = nullptr;
    BitMatrix dirty;                                    // port x word of its row
    std::vector<std::pair<Port, std::uint32_t>> queue;  // the same, in order of first change
  };
  void apply(const Grant& grant);
  bool tell(Peer& peer);

  LiveRegion& region_;
  AskCollector collector_;
  LiveArbiter arbiter_;
  MessageRing* inbox_;
  std::vector<std::uint32_t> row_of_port_;  // of this host; ~0: none
  std::vector<std::vector<std::uint32_t>> peers_of_port_;
  std::vector<Peer> peers_;
  BitMatrix established_;              // rows of ports on other hosts
  std::vector<std::uint64_t> grants_;  // by port
  std::vector<TimedAsk> asks_;
  std::vector<std::size_t> order_;  // of asks_, by time
  std::vector<RowUpdate> rows_;
};

class ForwardingService final : public LiveService {
 public:
  ForwardingService(LiveRegion& region, const LiveClock& clock, MessageRing& inbox, MessageRing& outbox);
  bool step() override;

 private:
  LiveRegion& region_;
  AskCollector collector_;
  MessageRing& inbox_;
  MessageRing& outbox_;
  std::vector<TimedAsk> asks_;
  std::vector<RowUpdate> rows_;
};

}  // namespace hybrid
