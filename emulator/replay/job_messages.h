// Messages of a replayed job: over the network to another port, or through shared memory to a rank of the
// same port.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pool.h"
#include "core/units.h"
#include "emulator/measures.h"
#include "emulator/network/technique.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/message_matching.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/replay.h"
#include "emulator/switching/messages_in_flight.h"

namespace hybrid {

/// A message between two ranks. Its slot in the pool is released when it is done(): it has arrived, a receive
/// has taken it, and no request of its sender is open.
struct JobMessage {
  enum class Purpose : std::uint8_t {
    matched,      // a receive takes it (PointToPoint)
    put,          // one-sided data (OneSided); an accumulate, too
    get_request,  // requests data from the target of a get; no bytes on the network
    get_reply,    // the data of a get
  };
  ChannelKey key;
  Bytes bytes = 0;  // of a get_request: those of its reply
  Time sent{};
  Waiter sender;    // continues when the message has left (synchronous mode: when it has arrived)
  Waiter receiver;  // continues when the message has arrived
  std::uint32_t phase = 0;
  std::uint32_t window = 0;  // of one-sided purposes
  SendMode mode = SendMode::standard;
  Purpose purpose = Purpose::matched;
  bool injected = false, delivered = false;
  bool unreceived = false;  // matched: no receive has taken it yet
  bool requested = false;   // a request of its sender is open
  bool done() const { return injected && delivered && !unreceived && !requested; }
};

class JobMessages final : private TransferListener {
 public:
  /// A message has left its PE (injected) or has arrived (delivered).
  struct Progress {
    MessageHandle message;
    bool delivered = false;  // else: injected
    bool hit = false;        // delivered: by a circuit that was established (TransferListener)
  };

  /// `placement`: port of each rank.
  JobMessages(Technique& technique, const std::vector<std::uint32_t>& placement, const ReplayOptions& options,
              JobEvents& events, PhaseAccount& account);

  /// Sends a message at this instant. `site`: of the call that sends it, for predictors.
  MessageHandle send(const JobMessage& message, std::uint64_t site);
  JobMessage& operator[](MessageHandle handle) { return pool_[handle]; }

  /// Runs the network up to `until`, or to the first instant at which it reports progress
  /// (Technique::advance), which becomes the current instant. Calls visit(progress) for each report.
  template <class Visit>
  void advance_network(Time until, Visit&& visit) {
    events_.set_now(technique_.advance(until, *this));
    for (const Progress& progress : reports_) visit(progress);
    reports_.clear();
  }
  /// Records the progress of a message at this instant and wakes what waits for it.
  void apply(const Progress& progress);
  /// Releases the message if it is done. Call it after each change of the message's flags.
  void settle(MessageHandle handle) {
    if (pool_[handle].done()) pool_.release(handle);
  }

  Port port_of(std::uint32_t rank) const { return placement_[rank]; }
  const std::vector<std::uint32_t>& placement() const { return placement_; }
  /// Counts a message between ranks of one port.
  void count_local(Bytes bytes);
  void count_latency(std::uint32_t phase, Time latency);

  std::uint64_t in_flight() const { return in_flight_.count(); }
  std::uint64_t sent() const { return in_flight_.sent(); }
  /// Throws std::logic_error unless the technique has delivered all messages.
  void check_all_delivered() const { in_flight_.check_all_delivered(technique_.statistics()); }
  /// Sets messages, bytes, ports, latency and hit rate.
  void report(Measures& measures) const;

 private:
  void injected(Time /*at*/, const Message& message) override {
    reports_.push_back({in_flight_.injected(message), false, false});
  }
  void delivered(Time /*at*/, const Message& message, bool hit) override {
    reports_.push_back({in_flight_.delivered(message), true, hit});
  }
  void count_message(std::uint32_t phase, Connection connection, Bytes bytes);

  Technique& technique_;
  const std::vector<std::uint32_t>& placement_;
  const ReplayOptions& options_;
  JobEvents& events_;
  PhaseAccount& account_;

  Pool<JobMessage> pool_;
  MessagesInFlight<MessageHandle> in_flight_;  // in the network
  std::vector<Progress> reports_;              // of the technique, at this instant

  std::uint64_t network_messages_ = 0, hits_ = 0, local_messages_ = 0;
  Bytes bytes_ = 0, local_bytes_ = 0;
  std::vector<PortTraffic> port_traffic_;  // by port
  LatencyHistogram latency_;
};

}  // namespace hybrid
