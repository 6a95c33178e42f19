// Technique `coll`: size-threshold splitting with request and clear to send (D 2.3.2; Coll and others,
// D [34]).
//
// Messages below `split_size` are sent on local information only ("local dynamic allocation"): as worms. A
// longer message ("dynamic allocation") needs both NICs. When the sender's channel for circuits is free, it
// sends a Request To Send to the receiver's NIC. If that receives no other long message, it replies with
// Clear To Send and is reserved for this message; otherwise it replies with a Negative Acknowledgment.
//
// Timing, in addition to emulator/switching/split_links.h (a worked example is in docs/timing.md)
// - The RTS leaves one NIC delay after the message was offered (or its channel became free) and is at the
//   receiver's NIC after wire, digital fabric, wire. The reply leaves one NIC delay later and takes the same
//   path. A CTS sets the analog fabric when it passes the switch, which takes one reconfiguration more.
// - Words leave when the CTS arrives. The receiver is free again when the last word has arrived.
// - After a NACK the NIC turns to the next waiting message, and returns to this one after all others (the
//   messages of a connection keep their order). The next RTS leaves one NIC delay later, and not before the
//   NIC's next cycle.
// No message is a hit. Preload and flush have no effect.
//
// While a receiver takes a message of gigabytes, it refuses a NIC millions of times. Since it is known until
// when each receiver is busy, rounds with a certain NACK are not emulated one by one: the next event of a NIC
// is its first RTS that may find a free receiver. The skipped rounds are counted at that RTS, or when another
// message joins those that wait.
#include <algorithm>
#include <limits>

#include "emulator/network/longest_run.h"
#include "emulator/switching/message_circuits.h"

namespace hybrid {

namespace {

// Replies come before requests: a NIC is free at the instant at which its reservation ends.
constexpr std::uint32_t kClear = 8, kRequestToSend = 10;

class Coll final : public MessageCircuits {
 public:
  explicit Coll(const SwitchParameters& parameters);

 protected:
  void request_circuit(Time now, CircuitQueue& queue) override;
  void send_reservation(Time leaves, Connection c) override;
  void on_words_sent(Time gone, Connection c) override;
  void on_message_sent(Time /*now*/, Connection /*c*/) override {}
  void handle_control_event(Time now, const SwitchEvent& event) override;

 private:
  struct Receiver {
    bool reserved = false;  // for a message not yet sent
    Time free{};            // if reserved, a lower bound
  };
  /// Requests of a NIC, which serves its waiting messages in turn.
  struct Rounds {
    Time request = Time::never();   // arrival of the RTS for the first message; never(): no request
    Time possible = Time::never();  // arrival of the first RTS that may be granted; never(): not known
  };

  void answer_request(Time now, Port source);
  void count_refusals(Time now, Port source);
  void schedule_possible_request(Time from, Port source);
  Time first_possible_request(Time from, Port source);
  /// Delay from an RTS at the receiver to the NACK at the sender.
  Time reply_time() const { return timing_.nic + control_path_time(); }
  /// Delay from the NACK to the departure of the next RTS.
  Time pause_time() const { return std::max(timing_.nic, parameters_.nic.cycle); }
  Time round_time() const { return reply_time() + pause_time() + control_path_time(); }

  std::vector<Receiver> receivers_;  // by port
  std::vector<Rounds> rounds_;       // by port
};

Coll::Coll(const SwitchParameters& parameters)
    : MessageCircuits(parameters), receivers_(parameters.nodes), rounds_(parameters.nodes) {}

void Coll::request_circuit(Time now, CircuitQueue& queue) {
  const Port source = queue.connection.source;
  const bool requesting = rounds_[source].request != Time::never();
  if (requesting) count_refusals(now, source);
  MessageCircuits::request_circuit(now, queue);
  if (requesting) schedule_possible_request(now, source);
}

void Coll::send_reservation(Time leaves, Connection c) {
  rounds_[c.source] = {leaves + control_path_time(), Time::never()};
  schedule_possible_request(now_, c.source);
}

void Coll::on_words_sent(Time gone, Connection c) {
  Receiver& receiver = receivers_[c.destination];
  const bool late = receiver.free < now_;  // the words waited for worms: the end was not known before
  receiver = {false, gone + timing_.circuit};
  if (!late) return;
  for (Port source = 0; source < rounds_.size(); ++source)
    if (rounds_[source].request != Time::never()) schedule_possible_request(now_, source);
}

void Coll::handle_control_event(Time now, const SwitchEvent& event) {
  if (event.kind() == kClear)
    accept_grant(now, now - timing_.wire, {event.a, event.b});
  else if (now == rounds_[event.a].possible)  // otherwise another RTS was scheduled meanwhile
    answer_request(now, event.a);
}

/// Handles an RTS of `source` that may find its receiver free.
void Coll::answer_request(Time now, Port source) {
  count_refusals(now, source);
  const Connection c{source, waiting_destinations(source).front()};
  Receiver& receiver = receivers_[c.destination];
  if (receiver.reserved || receiver.free > now)
    return schedule_possible_request(now + picoseconds(1), source);
  receiver = {true, now + reply_time() + timing_.network_reconfiguration};
  rounds_[source] = {};
  events_.push(receiver.free, kClear, c.source, c.destination);
}

/// Counts the refusals that `source` received before `now`.
void Coll::count_refusals(Time now, Port source) {
  Time& request = rounds_[source].request;
  const Time refused = request + reply_time();
  if (refused >= now) return;
  const std::int64_t rounds = (now - refused - picoseconds(1)) / round_time() + 1;
  Ring<Port>& ring = waiting_destinations(source);
  const auto turns = static_cast<std::uint64_t>(rounds);
  for (std::uint64_t k = 1; k <= std::min<std::uint64_t>(turns, ring.size()); ++k)
    note_request(refused + round_time() * static_cast<std::int64_t>(k - 1) + pause_time() - timing_.nic,
                 circuit({source, ring[k % ring.size()]}));
  for (std::uint64_t k = turns % ring.size(); k > 0; --k) {
    const Port last = ring.front();
    ring.pop();
    ring.push(last);
  }
  request += round_time() * rounds;
  statistics_.requests += turns;
}

/// Schedules the first RTS of `source` at or after `from` that may be granted.
void Coll::schedule_possible_request(Time from, Port source) {
  Rounds& rounds = rounds_[source];
  const Time possible = first_possible_request(from, source);
  if (possible == rounds.possible && possible > now_) return;  // it is scheduled
  rounds.possible = possible;
  if (possible != Time::never()) events_.push_sorted(possible, kRequestToSend, source, 0);
}

Time Coll::first_possible_request(Time from, Port source) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const Ring<Port>& ring = waiting_destinations(source);
  const Time request = rounds_[source].request;
  const auto size = static_cast<std::int64_t>(ring.size());
  std::int64_t first = kNone;                             // round, from 0
  for (std::int64_t i = 0; i < size && i < first; ++i) {  // the i-th has its turn in rounds i, i + size, ...
    const Receiver& receiver = receivers_[ring[static_cast<std::size_t>(i)]];
    if (receiver.reserved && receiver.free < now_) continue;  // until on_words_sent()
    const Time after = std::max(receiver.free, from) - request;
    const std::int64_t least = after <= Time{} ? 0 : (after - picoseconds(1)) / round_time() + 1;
    const std::int64_t turns = least <= i ? 0 : (least - i - 1) / size + 1;
    first = std::min(first, i + turns * size);
  }
  if (first == kNone) return Time::never();
  // After the end of a run, any round will do.
  const std::int64_t beyond = (kLongestRun - std::min(request, kLongestRun)) / round_time() + 1;
  return request + round_time() * std::min(first, beyond);
}

const TechniqueRegistration kColl{
    "coll",
    "short messages as worms, long ones by circuit after RTS and CTS, links split (D 2.3.2)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Coll>(p); },
    {.options = split_link_options()}};

}  // namespace

}  // namespace hybrid
