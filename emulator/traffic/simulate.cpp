#include "emulator/traffic/simulate.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/technique.h"
#include "emulator/switching/messages_in_flight.h"
#include "emulator/traffic/arrivals.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/phase_barrier.h"
#include "emulator/traffic/phase_record.h"
#include "emulator/traffic/preloader.h"
#include "emulator/traffic/undelivered.h"

namespace hybrid {

namespace {

constexpr std::uint64_t kMessagesPerNote = 256;  // of the progress
constexpr double kWarmupDivisor = 5;             // warm-up: this part of the time of handing over messages
constexpr std::uint64_t kFewestToWarmUp = 20;    // messages per node
constexpr double kLongestGap = 0x1p54;           // ps
constexpr std::int64_t kGrains = 64;             // granules of the arrival queue per mean gap
constexpr std::int64_t kFewestToMeasure = 4;     // back-to-back messages on a link

/// Returns when the preloaded slots are established and their notices have reached the NICs; the traffic
/// begins then.
Time preloaded_at(const SwitchParameters& p) {
  if (p.preload == 0) return {};
  return p.nic.delay() + p.control_wire() * 2 + p.scheduler.delay() + p.scheduler.cycle * 2;
}

/// Open loop: mean time between two messages of a node.
Time mean_gap(const SwitchParameters& parameters, const TrafficOptions& options) {
  if (options.load <= 0) return {};
  const Bytes payload = options.message == 0 ? parameters.word : options.message;
  const double gap = static_cast<double>(time_on_link(payload, parameters.link_rate).ps) / options.load;
  if (gap > kLongestGap)
    throw UserError("load: messages of " + format_bytes(payload) + " would arrive too rarely to simulate",
                    "Give a higher --load or a smaller --message.");
  return Time{static_cast<std::int64_t>(gap)};
}

class Simulation final : public TransferListener {
 public:
  Simulation(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
             const TrafficOptions& options);
  Measures run(const SimulationProgress& progress);

  void injected(Time at, const Message& message) override;
  void delivered(Time at, const Message& message, bool hit) override;

 private:
  struct Node {
    std::uint64_t left = 0;     // messages not yet handed over
    SmallRandom gaps{0};        // open loop
    std::uint32_t on_way = 0;   // closed loop: handed over and not yet delivered
    bool handing_over = false;  // closed loop: the last message has not yet left the PE
    bool ready = false;         // is in ready_
  };
  struct Sent {
    Time at{};
    std::uint64_t step = Pattern::kNoStep;
    PhaseRecord::Place phase{};
  };

  void schedule_arrival(Time after, Port node);
  Port next_sender();
  void send(Time at, Port node);
  void apply_notifications(Time at);
  Time default_warmup(std::uint64_t messages) const;
  void compute_load();
  [[noreturn]] void throw_stuck(Time at, std::uint64_t quiet_steps) const;

  Technique& technique_;
  Pattern& pattern_;
  const SwitchParameters& parameters_;
  const TrafficOptions& options_;
  Preloader preloader_;
  Time start_;     // start of the traffic
  Time mean_gap_;  // open loop

  std::vector<Node> nodes_;
  EventQueue arrivals_due_;  // open loop, by node
  std::vector<Port> ready_;  // closed loop: nodes that send now, in descending order
  Time ready_at_{};
  MessagesInFlight<Sent> in_flight_;
  std::optional<PhaseRecord> phases_;  // if the pattern has several phases
  std::uint64_t all_ = 0;
  std::uint32_t senders_ = 0;

  // Payload in the interval in which the load is measured.
  Time measured_from_{}, measured_until_ = Time::never();
  Bytes offered_ = 0, accepted_ = 0;

  // Notifications of the technique, applied after advance() has returned.
  bool happened_ = false;
  std::vector<Port> may_send_;
  std::vector<std::uint64_t> served_steps_;

  Time first_ = Time::never(), last_{};
  Measures measures_;
};

Simulation::Simulation(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
                       const TrafficOptions& options)
    : technique_(technique),
      pattern_(pattern),
      parameters_(parameters),
      options_(options),
      preloader_(technique, pattern, parameters.preload),
      start_(preloaded_at(parameters)),
      mean_gap_(mean_gap(parameters, options)),
      nodes_(parameters.nodes),
      arrivals_due_(options.load > 0 ? picoseconds(mean_gap_.ps / kGrains) : parameters.word_time()),
      in_flight_(options.load == 0) {
  if (options.load > 0) technique_.disable_injection_reports();  // not used in open loop
  if (auto phases = pattern.phases(); !phases.empty()) phases_.emplace(parameters.nodes, phases);
  std::uint64_t most = 0;
  for (Port node = 0; node < parameters.nodes; ++node) {
    all_ += nodes_[node].left = pattern.messages(node);
    most = std::max(most, nodes_[node].left);
    senders_ += nodes_[node].left > 0 ? 1 : 0;
    if (options.load > 0) {
      // Independent of the pattern's random numbers, so that every load carries the same sends.
      nodes_[node].gaps = node_random(~parameters.seed, node);
      if (nodes_[node].left > 0) schedule_arrival(start_, node);
    } else if (nodes_[node].left > 0 && pattern.ready(node)) {
      ready_.push_back(node);
    }
  }
  ready_at_ = start_;
  std::reverse(ready_.begin(), ready_.end());
  if (options.warmup != Time::never())
    measured_from_ = start_ + options.warmup;
  else if (options.load > 0)
    measured_from_ = start_ + default_warmup(most);
  else
    measured_from_ = start_;
}

/// The warm-up if none is given: with few messages there is none.
Time Simulation::default_warmup(std::uint64_t messages) const {
  if (messages < kFewestToWarmUp) return {};
  const double share = static_cast<double>(mean_gap_.ps) * static_cast<double>(messages) / kWarmupDivisor;
  return Time{static_cast<std::int64_t>(std::min(share, kLongestGap))};
}

/// Computes the offered and the accepted load.
void Simulation::compute_load() {
  const Time interval = std::min(measured_until_, last_) - measured_from_;
  if (interval <= Time{}) {
    if (options_.warmup != Time::never() && options_.warmup > Time{})
      throw UserError("warmup: " + to_string(options_.warmup) +
                          " is too long: a node hands over its last message at " + to_string(measured_until_),
                      "Give a shorter --warmup or more --messages.");
    return;
  }
  // Messages count as a whole, so that a few of them are not representative.
  if (interval < time_on_link(options_.message, parameters_.link_rate) * kFewestToMeasure) return;
  const double capacity =
      interval.seconds() * static_cast<double>(senders_) * static_cast<double>(parameters_.link_rate);
  measures_.offered_load = static_cast<double>(offered_) * 8 / capacity;
  measures_.accepted_load = static_cast<double>(accepted_) * 8 / capacity;
}

/// Schedules the next message of `node`, which must have one left.
void Simulation::schedule_arrival(Time after, Port node) {
  arrivals_due_.push_sorted(after + exponential(nodes_[node].gaps, mean_gap_), 0, node, 0);
}

void Simulation::send(Time at, Port node) {
  Node& n = nodes_[node];
  n.ready = false;
  --n.left;
  ++n.on_way;
  n.handing_over = true;
  const Pattern::Send what = pattern_.next(node);
  const Bytes bytes = options_.message * what.blocks;
  if (in_flight_.sent() == 0) first_ = at;
  if (measured_until_ == Time::never()) {
    if (at >= measured_from_) offered_ += bytes;
    if (n.left == 0) measured_until_ = at;
  }
  const auto phase = phases_ ? phases_->sent(node, what.phase) : PhaseRecord::Place{};
  technique_.send(at, in_flight_.add({node, what.destination}, bytes, {at, what.step, phase}));
  if (options_.load > 0 && n.left > 0) schedule_arrival(at, node);
}

void Simulation::injected(Time /*at*/, const Message& message) {
  in_flight_.injected(message);
  happened_ = true;
  nodes_[message.connection.source].handing_over = false;
  may_send_.push_back(message.connection.source);
}

void Simulation::delivered(Time at, const Message& message, bool hit) {
  const Sent sent = in_flight_.delivered(message);
  const bool warm = options_.load == 0 || sent.at >= measured_from_;
  if (warm) measures_.latency.add(at - sent.at);
  if (phases_) {
    phases_->delivered(at, message, sent.phase, hit);
    if (warm) phases_->latency(sent.phase, at - sent.at);
  }
  if (at >= measured_from_ && at < measured_until_) accepted_ += message.bytes;
  ++measures_.messages;
  measures_.bytes += message.bytes;
  measures_.count_ports(parameters_.nodes, message.connection, message.bytes);
  last_ = at;
  happened_ = true;
  served_steps_.push_back(sent.step);
  if (options_.load == 0) {
    --nodes_[message.connection.source].on_way;
    may_send_.push_back(message.connection.source);
  }
  if (!pattern_.waits()) return;
  if (pattern_.received(message.connection.destination, sent.step))
    for (Port node = 0; node < parameters_.nodes; ++node) may_send_.push_back(node);
  else
    may_send_.push_back(message.connection.destination);
}

/// Applies the notifications of the technique's last step: fills slots and finds nodes that may send.
void Simulation::apply_notifications(Time at) {
  for (const std::uint64_t step : served_steps_) preloader_.delivered(at, step);
  served_steps_.clear();
  if (options_.load == 0) {
    // ready_ is empty: the nodes in it have sent before the technique advanced.
    for (const Port node : may_send_) {
      Node& n = nodes_[node];
      const bool room = options_.outstanding == 0 || n.on_way < options_.outstanding;
      if (n.left == 0 || n.handing_over || n.ready || !room || !pattern_.ready(node)) continue;
      n.ready = true;
      ready_.push_back(node);
    }
    ready_at_ = at;
    if (ready_.size() > 1) std::sort(ready_.begin(), ready_.end(), std::greater<>{});
  }
  may_send_.clear();
}

void Simulation::throw_stuck(Time at, std::uint64_t quiet_steps) const {
  throw_undelivered(std::to_string(all_ - measures_.messages) + " of " + std::to_string(all_) +
                        " messages of pattern " + options_.pattern,
                    parameters_, at, quiet_steps);
}

/// Removes and returns the node that sends next.
Port Simulation::next_sender() {
  if (ready_.empty()) return arrivals_due_.pop().a;
  const Port node = ready_.back();
  ready_.pop_back();
  return node;
}

Measures Simulation::run(const SimulationProgress& progress) {
  preloader_.start(Time{});
  std::uint64_t quiet_steps = 0, reported = 0;
  Time now{};
  for (;;) {
    const Time send_at = ready_.empty() ? arrivals_due_.next() : ready_at_;
    const Time event = technique_.next_event();
    if (send_at == Time::never() && event == Time::never()) break;
    if (send_at <= event) {
      now = send_at;
      send(now, next_sender());
      continue;
    }
    const std::uint64_t before = measures_.messages;
    happened_ = false;
    now = technique_.advance(event, *this);
    quiet_steps = happened_ ? 0 : quiet_steps + 1;
    if (quiet_steps == kStuckSteps) throw_stuck(now, quiet_steps);
    apply_notifications(now);
    if (measures_.messages == all_) break;
    if (progress && measures_.messages != before && measures_.messages - reported >= kMessagesPerNote)
      progress(reported = measures_.messages, all_);
  }
  if (measures_.messages != all_) throw_stuck(now, quiet_steps);
  if (progress) progress(all_, all_);

  measures_.technique = parameters_.technique;
  measures_.nodes = parameters_.nodes;
  measures_.slots = parameters_.slots;
  measures_.seed = parameters_.seed;
  measures_.statistics = technique_.statistics();
  in_flight_.check_all_delivered(measures_.statistics);
  if (all_ == 0) return std::move(measures_);
  compute_load();
  measures_.time = last_ - first_;
  if (phases_) measures_.phases = phases_->finish(first_, last_);
  measures_.set_utilisation(parameters_.link_rate);
  measures_.hit_rate =
      static_cast<double>(measures_.statistics.hits) / static_cast<double>(measures_.messages);
  return std::move(measures_);
}

}  // namespace

std::unique_ptr<Pattern> make_pattern(const SwitchParameters& parameters, const TrafficOptions& options) {
  PatternShape shape;
  shape.nodes = parameters.nodes;
  shape.messages = options.messages;
  shape.seed = parameters.seed;
  shape.ratio = options.ratio;
  shape.phase_length = options.phase_length;
  shape.hotspot = options.hotspot;
  shape.exchange = options.exchange;
  shape.torus = options.torus;
  shape.permuted_rounds = options.permuted_rounds;
  shape.random_avoids_mesh = options.random_avoids_mesh;
  shape.mixes_evenly = options.mixes_evenly;
  shape.first_share = options.first_share;
  shape.specific_turns = options.specific_turns;
  auto pattern = PatternRegistration::make(options.pattern, shape);
  if (!options.phase_barrier || pattern->phases().empty()) return pattern;
  return std::make_unique<PhaseBarrier>(std::move(pattern),
                                        *PatternRegistration::make(options.pattern, shape), shape.nodes);
}

Measures simulate(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
                  const TrafficOptions& options, const SimulationProgress& progress) {
  return Simulation(technique, pattern, parameters, options).run(progress);
}

Measures simulate(const SwitchParameters& parameters, const TrafficOptions& options,
                  const SimulationProgress& progress, PortTimeline* timeline) {
  check(parameters);
  check(options);
  const auto pattern = make_pattern(parameters, options);
  const auto technique = TechniqueRegistration::make(parameters.technique, parameters);
  if (timeline != nullptr) technique->observe(*timeline);
  if (options.preload_topology.empty()) return simulate(*technique, *pattern, parameters, options, progress);
  check_topology(options.preload_topology, parameters);
  const auto rehearsal = make_pattern(parameters, options);
  TopologyPlan plan =
      plan_topology(*FixedTopologyRegistration::make(options.preload_topology, parameters.nodes),
                    measure_traffic(*rehearsal, parameters.nodes, options.message), parameters.preload);
  const double share = plan.share();
  MappedPattern mapped(*pattern, std::move(plan));
  Measures measures = simulate(*technique, mapped, parameters, options, progress);
  measures.topology_share = share;
  return measures;
}

}  // namespace hybrid
