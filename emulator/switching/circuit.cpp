// Technique `circuit`: circuit switching (D 8.4.2). Data waits in the NIC's N-queue until a circuit is
// established for it.
//
// Timing (D 8.4, 5.5.1; a worked example is in docs/timing.md)
// - When a message is offered to the NIC and its connection is idle, a request leaves one NIC delay later and
//   is at the scheduler one wire delay after that. With a request width, a NIC that has so many requests
//   without a grant makes the request when a grant arrives, in the order of the offers.
// - The scheduler (emulator/network/wormhole_scheduler.h) passes on the first edge of its clock at or after a
//   request or the instant at which ports become free. One scheduler delay and one reconfiguration later the
//   circuit is established, and the grant leaves for the NIC: one wire delay.
// - From then on words leave one per word time, each at the earliest one NIC delay after it entered its
//   queue. Each arrives after serialiser, cable, analog fabric, cable, deserialiser, and is delivered one NIC
//   delay later.
// - The circuit is held until the NIC's queue for the connection is empty: when the last word has left (one
//   word time after its start) and no further message to that destination was offered, the release leaves the
//   NIC; one wire delay later both ports are free.
// A message is a hit if the NIC held the grant when the first word was offered.
// Preload and flush have no effect.
#include <algorithm>

#include "emulator/network/connection_table.h"
#include "emulator/network/engine.h"
#include "emulator/network/pass_notes.h"
#include "emulator/network/wormhole_scheduler.h"

namespace hybrid {

namespace {

/// Number of times that a queue is filled and emptied in one event.
constexpr int kFillsAtOnce = 8;

class Circuit final : public Engine {
 public:
  explicit Circuit(const SwitchParameters& parameters);

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;
  bool is_steady(std::uint32_t kind) const override;
  void visit(StateVisitor& v) override;

 private:
  enum Kinds : std::uint32_t { kGranted = kFirstOwnKind, kFinished, kRelease, kRequest, kPass, kDrain };
  enum class State : std::uint8_t { idle, waiting, requested, held };
  struct Virtual : WordQueue {
    Virtual(const Timing& timing, Connection c) : WordQueue(timing), connection(c) {}
    /// Resets the queue for `c`. Requires: it is idle and has no words.
    void reset(const Timing& /*timing*/, Connection c) {
      connection = c;
      reset_places();
    }
    Connection connection;
    State state = State::idle;
    Time requested_at{};  // or waiting since
    Time established{};   // at the switch
    Time idle_since{};    // end of the last word on the link, while held
  };

  /// A NIC's requests.
  struct Requests {
    std::uint32_t without_grant = 0;
    Ring<Port> waiting;  // destinations that are not requested yet
  };

  void send_request(Time now, Virtual& queue);
  void send_words(std::uint32_t port, Virtual& queue);
  void note_change(Time now, Time at, Connection c, bool free);

  ConnectionTable<Virtual> queues_;  // of connections that are not idle
  std::vector<Time> link_free_;      // by source
  std::vector<Virtual*> held_;       // by source: the queue that holds a circuit; nullptr: none
  std::vector<Requests> requests_;   // by source
  WormholeScheduler scheduler_;
  PassNotes notes_;
};

Circuit::Circuit(const SwitchParameters& parameters)
    : Engine(parameters),
      queues_(parameters.nodes),
      link_free_(parameters.nodes),
      held_(parameters.nodes, nullptr),
      requests_(parameters.nodes),
      scheduler_(parameters.nodes),
      notes_(parameters.scheduler.cycle) {}

WordQueue& Circuit::select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) {
  MessageInFlight& t = transfer(index);
  t.circuit = true;
  words = timing_.payload(t.message.bytes);
  const Connection c = t.message.connection;
  Virtual& queue = queues_.get(pe, c.destination, timing_, c);
  if (queue.state == State::idle) {
    queue.requested_at = now;
    queue.state = State::waiting;
    Requests& requests = requests_[pe];
    if (parameters_.request_width == 0 || requests.without_grant < parameters_.request_width)
      send_request(now, queue);
    else
      requests.waiting.push(c.destination);
  } else if (queue.state == State::held) {
    statistics_.held_unused += std::max(Time{}, now - queue.idle_since);
    t.hit = true;
  }
  return queue;
}

void Circuit::send_request(Time now, Virtual& queue) {
  queue.state = State::requested;
  ++requests_[queue.connection.source].without_grant;
  ++statistics_.requests;
  if (timeline_ != nullptr) timeline_->control(now, queue.connection, true);
  note_change(now, now + timing_.nic + timing_.wire, queue.connection, false);
}

void Circuit::forward_words(Time /*now*/, std::uint32_t pe, WordQueue& queue) {
  send_words(pe, static_cast<Virtual&>(queue));
}

/// Sends all waiting words if the circuit is held. The circuit has the link alone until it is released.
void Circuit::send_words(std::uint32_t port, Virtual& queue) {
  if (queue.state != State::held || queue.entered.empty()) return;
  Time& free = link_free_[port];
  int fills = 0;
  while (!queue.entered.empty()) {
    const Run words = queue.entered.front().delayed(timing_.nic);
    const Run starts = serve_words(words, timing_.word, Time::never(), free);
    if (timeline_ != nullptr) report_circuit_words(queue, {queue.connection, 0, starts, timing_.word});
    remove_circuit_words(queue, queue.connection, starts);
    remove_segment_words(
        queue.segments, starts, [](std::uint32_t) {},
        [&](std::uint32_t index, Time start) {
          schedule_delivery(start + timing_.circuit + timing_.nic, index);
        });
    queue.idle_since = free;
    if (!queue.entered.empty()) continue;
    fill_queue(port);
    if (++fills >= kFillsAtOnce && !queue.entered.empty())
      return events_.push_sorted(free, kDrain, port, queue.connection.destination);
  }
  events_.push(free, kFinished, queue.connection.source, queue.connection.destination);
}

/// Notes for the scheduler's next pass that at `at` a request arrives, or the ports of `c` become free.
void Circuit::note_change(Time now, Time at, Connection c, bool free) {
  if (!notes_.can_note(now, at)) return events_.push(at, free ? kRelease : kRequest, c.source, c.destination);
  if (const Time pass = notes_.add_note(at, c, 0, free); pass != Time::never()) events_.push(pass, kPass);
}

void Circuit::handle_event(Time now, const SwitchEvent& event) {
  const Connection c{event.a, event.b};
  switch (event.kind()) {
    case kPass:
      notes_.take_notes(now, [this](const PassNote& note) {
        note.free ? scheduler_.release_ports(note.connection) : scheduler_.request(note.connection);
      });
      if (!scheduler_.has_requests()) break;
      notes_.record_pass(now);
      for (const Connection granted : scheduler_.run_pass()) {
        const Time established = now + parameters_.scheduler.delay() + timing_.network_reconfiguration;
        ++statistics_.established;
        events_.push(established + timing_.wire, kGranted, granted.source, granted.destination);
      }
      break;
    case kGranted: {
      Virtual& queue = *queues_.find(c.source, c.destination);
      queue.state = State::held;
      held_[c.source] = &queue;
      queue.established = now - timing_.wire;
      Requests& requests = requests_[c.source];
      --requests.without_grant;
      if (!requests.waiting.empty()) {
        send_request(now, *queues_.find(c.source, requests.waiting.front()));
        requests.waiting.pop();
      }
      if (timeline_ != nullptr) timeline_->waited(queue.requested_at, now, c, false);
      Time& free = link_free_[c.source];
      free = std::max(free, now);
      send_words(c.source, queue);
      break;
    }
    case kDrain:
      return send_words(c.source, *held_[c.source]);
    case kFinished: {
      Virtual* const queue = held_[c.source];
      if (queue == nullptr || queue->connection != c || link_free_[c.source] != now || !queue->finished())
        break;
      queue->state = State::idle;
      held_[c.source] = nullptr;
      ++statistics_.releases;
      statistics_.held += now + timing_.wire - queue->established;
      statistics_.held_unused += timing_.wire + timing_.wire;  // while grant and release are on the wire
      if (timeline_ != nullptr) timeline_->control(now, c, false);
      note_change(now, now + timing_.wire, c, true);
      queues_.release(c.source, c.destination);
      break;
    }
    default:  // kRequest, kRelease
      note_change(now, now, c, event.kind() == kRelease);
  }
}

bool Circuit::is_steady(std::uint32_t kind) const { return kind == kDrain; }

void Circuit::visit(StateVisitor& v) {
  Engine::visit(v);
  for (Time& free : link_free_) v.instant(free);
  v.unfinished(queues_.all(), [&](Virtual& queue) { v.instant(queue.idle_since); });
}

const TechniqueRegistration kCircuit{
    "circuit",
    "a circuit per burst, requested over the wire when data waits (D 8.4.2)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Circuit>(p); },
    {.options = joined({circuit_options(), {"request-width"}})}};

}  // namespace

}  // namespace hybrid
