#include "emulator/replay/job_messages.h"

#include <algorithm>
#include <utility>

#include "emulator/network/longest_run.h"

namespace hybrid {

JobMessages::JobMessages(Technique& technique, const std::vector<std::uint32_t>& placement,
                         const ReplayOptions& options, JobEvents& events, PhaseAccount& account)
    : technique_(technique), placement_(placement), options_(options), events_(events), account_(account) {}

MessageHandle JobMessages::send(const JobMessage& message, std::uint64_t site) {
  const Time now = events_.now();
  const MessageHandle handle{pool_.acquire_as_left()};
  pool_[handle] = message;
  pool_[handle].sent = now;
  const Bytes bytes = message.purpose == JobMessage::Purpose::get_request ? 0 : message.bytes;
  const Port from = placement_[message.key.source], to = placement_[message.key.destination];
  if (from == to) {
    const Time left = later_in_run(now, time_on_link(bytes, options_.local_rate));
    events_.schedule(left, JobEvents::LocalInjection{handle});
    events_.schedule(left + options_.local_latency, JobEvents::LocalDelivery{handle});
    count_local(bytes);
    return handle;
  }
  count_message(message.phase, {from, to}, bytes);
  Message sent = in_flight_.add({from, to}, bytes, handle);
  sent.site = site;
  technique_.send(now, sent);
  return handle;
}

void JobMessages::apply(const Progress& progress) {
  JobMessage& message = pool_[progress.message];
  const bool synchronous = message.mode == SendMode::synchronous;
  if (!progress.delivered) {
    message.injected = true;
    if (!synchronous) events_.wake(std::exchange(message.sender, {}));
    return;
  }
  message.delivered = true;
  if (placement_[message.key.source] != placement_[message.key.destination]) {
    count_latency(message.phase, events_.now() - message.sent);
    if (progress.hit) {
      ++hits_;
      account_.hit(message.phase);
    }
  }
  if (is_any(message.receiver)) {
    events_.wake(std::exchange(message.receiver, {}));
    message.unreceived = false;
  }
  if (synchronous) events_.wake(std::exchange(message.sender, {}));
}

void JobMessages::count_message(std::uint32_t phase, Connection connection, Bytes bytes) {
  ++network_messages_;
  bytes_ += bytes;
  const std::size_t ports = std::max(connection.source, connection.destination) + std::size_t{1};
  if (port_traffic_.size() < ports) port_traffic_.resize(ports);
  port_traffic_[connection.source].out += bytes;
  port_traffic_[connection.destination].in += bytes;
  account_.message(phase, bytes);
}

void JobMessages::count_local(Bytes bytes) {
  ++local_messages_;
  local_bytes_ += bytes;
}

void JobMessages::count_latency(std::uint32_t phase, Time latency) {
  latency_.add(latency);
  account_.latency(phase, latency);
}

void JobMessages::report(Measures& measures) const {
  measures.messages = network_messages_;
  measures.bytes = bytes_;
  measures.ports = port_traffic_;
  measures.local_messages = local_messages_;
  measures.local_bytes = local_bytes_;
  measures.latency = latency_;
  measures.hit_rate =
      network_messages_ == 0 ? 0.0 : static_cast<double>(hits_) / static_cast<double>(network_messages_);
}

}  // namespace hybrid
