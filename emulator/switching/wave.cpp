// Technique `wave`: wave switching (D 2.3.3; Duato and others, D [8, 9]), with circuits that are kept.
//
// Links are split permanently (emulator/switching/split_links.h). The circuits' share is divided among the
// switches S_1 ... S_K (`circuit_channels`), each with a channel from and to every port. Control flits set
// up and tear down circuits on these switches, and "when two nodes are communicating frequently, the physical
// circuit connection will be kept". S_0, with the other share, carries worms.
// - A message of at least `split_size` bytes requests a circuit. It uses the circuit, and so does every
//   message of which the NIC knows that its circuit is established.
// - A NIC keeps its circuits as a cache of K entries. It makes requests in the order of offering. If all
//   entries are taken, it evicts the circuit that it holds with the oldest last use; circuits in use come
//   last, in the order in which they were requested.
// - The switch serves requests in the order of arrival, on the first S_m on which input and output are free.
//   If there is none, it selects, among the switches on which the input is free, the circuit to the output
//   that is least recently used, has it released, and reserves both ports for the request.
// - A circuit to be released first carries what was offered to it before. Messages that are offered later
//   wait, and request the circuit again.
//
// Timing, in addition to split_links.h (a worked example is in docs/timing.md)
// - A control flit leaves one NIC delay after the decision (a release at once) and is at the switch one wire
//   delay later. A pass on the first edge of the scheduler's clock covers all ports. One scheduler delay and
//   one reconfiguration later the circuit is established, and the grant leaves for the NIC: one wire delay.
// - The switch requests a circuit back one scheduler delay after the pass, and not before the circuit's own
//   grant; the NIC is informed one wire delay later. To the switch, all circuits in use, or used within the
//   last wire delay, are equally recent.
// - A release frees both ports when it is at the switch.
// A message is a hit if its NIC held the circuit when the first word was offered. Preload and flush have no
// effect.
#include <algorithm>
#include <vector>

#include "emulator/network/wormhole_scheduler.h"
#include "emulator/switching/split_links.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kNoChannel = ~std::uint32_t{0};

class Wave final : public SplitLinks {
 public:
  explicit Wave(const SwitchParameters& parameters);
  TechniqueStatistics statistics() const override;

 protected:
  bool takes_circuit(const CircuitQueue& queue, Bytes bytes) override;
  bool knows_circuit(const CircuitQueue& queue) override;
  void request_circuit(Time now, CircuitQueue& queue) override;
  void send_ready_words(Time now, CircuitQueue& queue) override;
  void handle_circuit_event(Time now, const SwitchEvent& event) override;

 private:
  // The grant of a circuit comes before the request to release it. Ports that become free at an instant are
  // free for requests that arrive at that instant.
  enum Kinds : std::uint32_t {
    kGranted = 1,
    kReclaimed = 2,
    kFinished = 3,
    kRelease = 64,
    kRequest = 65,
    kPass = 128
  };
  /// State of a circuit as known to the NIC.
  enum class State : std::uint8_t { none, waiting, requested, held, leaving };
  struct Entry {
    State state = State::none;
    std::uint64_t owed = 0;     // leaving: words offered before that still wait for their gate
    std::uint32_t channel = 0;  // as known to the switch
    Time granted{};
  };
  struct Nic {
    Ring<Port> waiting;         // destinations that wait for an entry
    std::vector<Port> entries;  // destinations with an entry
    std::vector<Time> free;     // by channel, earliest start of the next word
  };
  /// One of S_1 ... S_K.
  struct Channel {
    std::vector<Port> to, from;         // by input, by output; kNoPort: free
    PortSet kept_inputs, kept_outputs;  // reserved for a request
  };
  struct Request {
    Connection connection;
    std::uint32_t channel;  // on which ports are reserved for it, or kNoChannel
  };

  Entry& entry(Connection c) { return entries_.get(c.source, c.destination); }
  static Time last_use(Time now, const CircuitQueue& queue);
  void request_waiting(Time now, Port source);
  bool evict_entry(Time now, Port source);
  void begin_release(Time now, CircuitQueue& queue);
  void release(Time now, CircuitQueue& queue);

  void schedule_pass(Time now);
  void run_pass(Time now);
  bool serve_request(Time now, Request& request);
  void reclaim_output(Time now, Request& request);
  void grant_circuit(Time now, Connection c, std::uint32_t channel);

  ConnectionTable<Entry> entries_;
  std::vector<Nic> nics_;
  std::vector<Channel> channels_;
  std::vector<Request> requests_;  // at the switch, in the order of arrival
  PassClock clock_;
};

Wave::Wave(const SwitchParameters& parameters)
    : SplitLinks(parameters, parameters.circuit_channels),
      entries_(parameters.nodes),
      clock_(parameters.scheduler.cycle) {
  const std::uint32_t ports = parameters.nodes;
  nics_.resize(ports);
  for (Nic& nic : nics_) nic.free.resize(parameters.circuit_channels);
  for (std::uint32_t m = 0; m < parameters.circuit_channels; ++m)
    channels_.push_back({std::vector<Port>(ports, kNoPort), std::vector<Port>(ports, kNoPort), PortSet(ports),
                         PortSet(ports)});
}

// ---- NIC

bool Wave::takes_circuit(const CircuitQueue& queue, Bytes bytes) {
  return bytes >= parameters_.split_size || knows_circuit(queue);
}

bool Wave::knows_circuit(const CircuitQueue& queue) {
  const Entry* e = entries_.find(queue.connection.source, queue.connection.destination);
  return e != nullptr && e->state == State::held;
}

void Wave::request_circuit(Time now, CircuitQueue& queue) {
  const Connection c = queue.connection;
  if (Entry& e = entry(c); e.state == State::none) {
    e.state = State::waiting;
    nics_[c.source].waiting.push(c.destination);
    request_waiting(now, c.source);
  }
}

void Wave::send_ready_words(Time now, CircuitQueue& queue) {
  const Connection c = queue.connection;
  Entry& e = entry(c);
  if (e.state != State::held && e.owed == 0) return;
  if (queue.gate == Time::never() || queue.entered.empty()) return;
  const std::uint64_t words = e.state == State::held ? ~std::uint64_t{0} : e.owed;
  e.owed = 0;
  send_words(now, queue, words, e.channel, nics_[c.source].free[e.channel]);
  events_.push_sorted(queue.gone, kFinished, c.source, c.destination);
}

/// Requests circuits for the waiting destinations, as far as there are entries; evicts entries if there are
/// none.
void Wave::request_waiting(Time now, Port source) {
  Nic& nic = nics_[source];
  while (!nic.waiting.empty()) {
    if (nic.entries.size() == channels_.size()) {
      if (evict_entry(now, source)) continue;
      return;
    }
    const Connection c{source, nic.waiting.front()};
    nic.waiting.pop();
    nic.entries.push_back(c.destination);
    entry(c).state = State::requested;
    note_request(now, circuit(c));
    ++statistics_.requests;
    events_.push_sorted(now + timing_.nic + timing_.wire, kRequest, c.source, c.destination);
  }
}

/// Last use of a circuit. It is in use now if data waits for it or is on it.
Time Wave::last_use(Time now, const CircuitQueue& queue) {
  return queue.finished() ? std::min(queue.gone, now) : now;
}

/// Evicts the circuit least recently used, unless enough circuits are being released. Returns whether an
/// entry is free now.
bool Wave::evict_entry(Time now, Port source) {
  Nic& nic = nics_[source];
  CircuitQueue* victim = nullptr;
  Time oldest{};
  std::size_t leaving = 0;
  for (const Port destination : nic.entries) {
    const Connection c{source, destination};
    const State state = entry(c).state;
    leaving += state == State::leaving ? 1 : 0;
    if (state != State::held) continue;
    CircuitQueue& queue = circuit(c);
    const Time used = std::max(entry(c).granted, last_use(now, queue));
    if (victim != nullptr && used >= oldest) continue;
    victim = &queue;
    oldest = used;
  }
  if (victim == nullptr || leaving >= nic.waiting.size()) return false;
  begin_release(now, *victim);
  return nic.entries.size() < channels_.size();
}

/// Releases the circuit of `queue` when the words that were offered to it have left.
void Wave::begin_release(Time now, CircuitQueue& queue) {
  Entry& e = entry(queue.connection);
  e.state = State::leaving;
  for (std::size_t k = 0; k < queue.segments.size(); ++k) e.owed += queue.segments[k].words;
  if (e.owed == 0 && queue.gone <= now) release(now, queue);
}

void Wave::release(Time now, CircuitQueue& queue) {
  const Connection c = queue.connection;
  Nic& nic = nics_[c.source];
  std::erase(nic.entries, c.destination);
  ++statistics_.releases;
  events_.push(now + timing_.wire, kRelease, c.source, c.destination);
  Entry& e = entry(c);
  e.state = State::none;
  if (queue.finished()) return;
  e.state = State::waiting;
  nic.waiting.push(c.destination);
}

// ---- switch

void Wave::schedule_pass(Time now) {
  if (requests_.empty()) return;
  if (const Time pass = clock_.schedule_pass(now); pass != Time::never()) events_.push(pass, kPass);
}

void Wave::run_pass(Time now) {
  clock_.begin_pass(now);
  const std::size_t before = requests_.size();
  std::size_t left = 0;
  bool unplaced = false;
  for (Request request : requests_) {
    if (serve_request(now, request)) continue;
    unplaced = unplaced || request.channel == kNoChannel;
    requests_[left++] = request;
  }
  requests_.resize(left);
  // A request that found its output reserved for others may now have the new circuit released.
  if (unplaced && left != before) schedule_pass(now);
}

/// Grants the request if possible; otherwise has a circuit released for it. Returns whether it was granted.
bool Wave::serve_request(Time now, Request& request) {
  const auto [i, j] = request.connection;
  if (request.channel != kNoChannel) {
    Channel& kept = channels_[request.channel];
    if (kept.from[j] != kNoPort) return false;
    kept.kept_inputs.reset(i);
    kept.kept_outputs.reset(j);
    grant_circuit(now, request.connection, request.channel);
    return true;
  }
  for (std::uint32_t m = 0; m < channels_.size(); ++m) {
    const Channel& s = channels_[m];
    if (s.to[i] != kNoPort || s.from[j] != kNoPort || s.kept_inputs.test(i) || s.kept_outputs.test(j))
      continue;
    grant_circuit(now, request.connection, m);
    return true;
  }
  reclaim_output(now, request);
  return false;
}

/// Selects a circuit to the output of `request` and has it released.
void Wave::reclaim_output(Time now, Request& request) {
  const auto [i, j] = request.connection;
  Time oldest{};
  for (std::uint32_t m = 0; m < channels_.size(); ++m) {
    const Channel& s = channels_[m];
    if (s.to[i] != kNoPort || s.from[j] == kNoPort || s.kept_inputs.test(i) || s.kept_outputs.test(j))
      continue;
    const CircuitQueue& queue = circuit({s.from[j], j});
    const Time used = std::max(queue.established, std::min(last_use(now, queue), now - timing_.wire));
    if (request.channel != kNoChannel && used >= oldest) continue;
    request.channel = m;
    oldest = used;
  }
  if (request.channel == kNoChannel) return;
  Channel& s = channels_[request.channel];
  s.kept_inputs.set(i);
  s.kept_outputs.set(j);
  const Port source = s.from[j];
  const Time informed = std::max(now + parameters_.scheduler.delay(), circuit({source, j}).established);
  events_.push_sorted(informed + timing_.wire, kReclaimed, source, j);
}

void Wave::grant_circuit(Time now, Connection c, std::uint32_t channel) {
  channels_[channel].to[c.source] = c.destination;
  channels_[channel].from[c.destination] = c.source;
  entry(c).channel = channel;
  const Time established = now + parameters_.scheduler.delay() + timing_.network_reconfiguration;
  note_established(established, circuit(c));
  events_.push_sorted(established + timing_.wire, kGranted, c.source, c.destination);
}

void Wave::handle_circuit_event(Time now, const SwitchEvent& event) {
  if (event.kind() == kPass) return run_pass(now);
  const Connection c{event.a, event.b};
  CircuitQueue& queue = circuit(c);
  Entry& e = entry(c);
  switch (event.kind()) {
    case kGranted:
      e.state = State::held;
      note_grant(now, queue);
      e.granted = now;
      nics_[c.source].free[e.channel] = std::max(nics_[c.source].free[e.channel], now);
      send_ready_words(now, queue);
      request_waiting(now, c.source);
      break;
    case kReclaimed:
      if (e.state == State::held) begin_release(now, queue);
      request_waiting(now, c.source);
      break;
    case kFinished:
      if (e.state != State::leaving || e.owed != 0 || queue.gone != now) break;
      release(now, queue);
      request_waiting(now, c.source);
      break;
    case kRelease: {
      Channel& s = channels_[e.channel];
      s.to[c.source] = s.from[c.destination] = kNoPort;
      note_released(now, queue);
      schedule_pass(now);
      break;
    }
    default:  // kRequest
      requests_.push_back({c, kNoChannel});
      schedule_pass(now);
  }
}

TechniqueStatistics Wave::statistics() const {
  TechniqueStatistics s = Engine::statistics();
  for (const CircuitQueue& queue : circuits()) {
    const Connection c = queue.connection;
    for (const Channel& channel : channels_)
      if (channel.to[c.source] == c.destination) count_held(now_, queue, s);
  }
  return s;
}

const TechniqueRegistration kWave{
    "wave",
    "cached circuits on a fixed share of each link, worms on the rest (D 2.3.3)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Wave>(p); },
    {.options = joined({split_link_options(), {"circuit-channels"}})}};

}  // namespace

}  // namespace hybrid
