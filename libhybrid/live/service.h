// The service of a host: reads from shared memory what the host's ranks want, passes the changes as commands
// to the scheduler port, and updates the ranks' rows of established connections. It runs step by step on a
// clock that is passed in; the thread that calls it is in libhybrid/live/service_thread.h.
//
// The service of host 0 owns the scheduler port (OwningService). The others forward (ForwardingService) over
// message queues that the first rank of each host carries (HostLink).
//
// The model schedules a change at the time at which the service of the rank's host reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/port_set.h"
#include "core/time.h"
#include "libhybrid/live/arbiter.h"
#include "libhybrid/live/host_messages.h"
#include "libhybrid/live/region.h"

namespace hybrid {

class LiveService {
 public:
  virtual ~LiveService() = default;
  /// Executes new commands, advances the model to the time of the clock, and updates the rows. Returns true
  /// if there was work, or if the model has a change pending: the next step should follow soon.
  virtual bool step() = 0;
  /// Sets the rows of this host to nothing established, because step() will not be called again.
  virtual void clear_rows() = 0;
};

/// Collects the commands of the ranks of one host: the difference between what each rank wants and what it
/// wanted at the last call. The order of the requests and releases of one rank is not kept.
class CommandCollector {
 public:
  CommandCollector(LiveRegion& region, const LiveClock& clock);
  /// Appends at most `limit` commands; later calls append the others. The rank that is read first changes
  /// with every call. After the last command of a finished rank a flush is appended. A rank without changes
  /// costs one load.
  void collect(std::vector<TimedCommand>& commands, std::size_t limit);
  Time now() const { return timeline_.at(clock_.ticks()); }

 private:
  /// What a rank wanted at the last call.
  struct Seen {
    std::uint64_t changes = 0, flushes = 0;
    std::uint32_t preloads = 0;
    bool finished = false;
  };
  /// Appends the changes of a rank. Returns false if `limit` left some out.
  bool collect_changes(std::uint32_t local, Time now, std::vector<TimedCommand>& commands,
                       std::size_t& limit);

  LiveRegion& region_;
  LiveClock clock_;
  LiveTimeline timeline_;
  std::vector<Seen> seen_;
  BitMatrix requested_;  // by local rank and destination
  std::uint32_t first_ = 0;
};

class OwningService final : public LiveService {
 public:
  /// `host_of_rank`, `port_of_rank`: by world rank. `inbox`: messages of all hosts; `outboxes`: by host (null
  /// for host 0). With a single host `inbox` is null and `outboxes` is empty. All references must outlive the
  /// service.
  OwningService(LiveRegion& region, const LiveClock& clock, LiveArbiter arbiter,
                std::span<const std::uint32_t> host_of_rank, std::span<const Port> port_of_rank,
                MessageRing* inbox, std::span<const std::unique_ptr<MessageRing>> outboxes);
  bool step() override;
  /// Also those of the other hosts, as far as the outboxes have room.
  void clear_rows() override;

 private:
  /// Another host, and the rows of its ports that must be sent to it.
  struct Peer {
    MessageRing* outbox = nullptr;
    BitMatrix dirty;                                    // by port and word of its row
    std::vector<std::pair<Port, std::uint32_t>> queue;  // the set bits of `dirty`, in order of change
  };
  void apply(const Grant& grant);
  /// Marks word `word` of the row of `source` to be sent to the other hosts of that port.
  void mark_dirty(Port source, std::size_t word);
  /// Sends the rows that changed, as far as the outbox has room. True if rows remain.
  bool send_rows(Peer& peer);

  LiveRegion& region_;
  CommandCollector collector_;
  LiveArbiter arbiter_;
  MessageRing* inbox_;
  std::vector<std::uint32_t> row_of_port_;  // on this host; kNoRow: none
  std::vector<std::vector<std::uint32_t>> peers_of_port_;
  std::vector<Peer> peers_;
  BitMatrix established_;              // rows of ports on other hosts
  std::vector<std::uint64_t> grants_;  // by port
  std::vector<TimedCommand> commands_;
  std::vector<std::size_t> order_;  // of commands_, by time and rank
  std::vector<RowUpdate> rows_;
};

class ForwardingService final : public LiveService {
 public:
  ForwardingService(LiveRegion& region, const LiveClock& clock, MessageRing& inbox, MessageRing& outbox);
  bool step() override;
  void clear_rows() override { region_.clear_rows(); }

 private:
  LiveRegion& region_;
  CommandCollector collector_;
  MessageRing& inbox_;
  MessageRing& outbox_;
  std::vector<TimedCommand> commands_;
  std::vector<RowUpdate> rows_;
};

}  // namespace hybrid
