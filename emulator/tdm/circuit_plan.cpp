#include "emulator/tdm/circuit_plan.h"

#include <algorithm>

namespace hybrid {

namespace {
// A change of circuits may cost a tenth of the time in which they are used.
constexpr std::int64_t kChangesInQuantum = 10;
}  // namespace

CircuitPlan::CircuitPlan(const SwitchParameters& p, bool keeps_unused)
    : slots_(p.slots),
      quantum_(std::max(p.slot_length, kChangesInQuantum * (p.unusable_slot_time(true) + p.nic.delay() +
                                                            p.control_wire() + p.slot_length))),
      protect_(std::max(p.slot_length, kChangesInQuantum * p.unusable_slot_time(true))),
      change_(p.unusable_slot_time(true)),
      keeps_unused_(keeps_unused),
      under_way_(p.nodes),
      busy_(p.nodes),
      since_(std::size_t{p.nodes} * p.slots),
      has_prediction_(p.nodes),
      prepared_(p.nodes),
      predicted_(p.nodes),
      predicted_slot_(p.nodes),
      fabric_(p.nodes),
      second_(p.nodes),
      slot_a_(p.nodes),
      slot_b_(p.nodes),
      worm_in_(p.nodes, Time::never()),
      worm_out_(p.nodes, Time::never()) {}

void CircuitPlan::join_queue(Time now, std::uint32_t slot, Port source) {
  since(slot, source) = {now, ++last_stamp_};
  waiting_.push_back({slot, source, last_stamp_});
}

void CircuitPlan::begin_waiting(Time now, std::uint32_t slot, Port source) { join_queue(now, slot, source); }

void CircuitPlan::end_waiting(std::uint32_t slot, Port source) {
  since(slot, source).stamp = 0;
  if (busy_.test(source) && under_way_[source].slot == slot) busy_.reset(source);
}

bool CircuitPlan::predict(std::uint32_t slot, Connection c) {
  if (!keeps_unused_ || change_ == Time{} || prepared_.test(c.source)) return false;
  prepared_.set(c.source);
  has_prediction_.set(c.source);
  predicted_[c.source] = c.destination;
  predicted_slot_[c.source] = slot;
  return true;
}

bool CircuitPlan::holds(std::span<const Configuration> schedule, Connection c) {
  return std::any_of(schedule.begin(), schedule.end(),
                     [&](const Configuration& slot) { return slot.holds(c); });
}

void CircuitPlan::put_in_fabric(Connection c, std::vector<Connection>& fresh) {
  if (fabric_.holds(c)) return;
  fresh.push_back(c);
  if (const Port before = fabric_.destination_of(c.source); before != kNoPort)
    fabric_.remove({c.source, before});
  if (const Port before = fabric_.source_of(c.destination); before != kNoPort)
    fabric_.remove({before, c.destination});
  fabric_.add(c);
}

void CircuitPlan::add_worm(Connection c, Time since) {
  worm_in_[c.source] = worm_out_[c.destination] = since;
  worms_.push_back(c);
}

bool CircuitPlan::worm_interrupts(const UnderWay& circuit, Port source, Time tick) const {
  return tick - circuit.started >= protect_ &&
         (worm_in_[source] != Time::never() || worm_out_[circuit.destination] != Time::never());
}

bool CircuitPlan::worm_keeps(Connection c, Time waiting_since) const {
  return worm_in_[c.source] <= waiting_since || worm_out_[c.destination] <= waiting_since;
}

/// Time in which the circuits carry words, if each lasts for `protect_`.
Time CircuitPlan::gain(const Configuration& circuits) const {
  Time time = protect_ * static_cast<std::int64_t>(circuits.count());
  if (change_ == Time{}) return time;
  for_each_port(circuits.inputs().words(), [&](Port source) {
    if (!fabric_.holds({source, circuits.destination_of(source)})) time -= change_;
  });
  return time;
}

void CircuitPlan::compose(Time tick, std::uint32_t first_slot, std::span<const Configuration> schedule,
                          std::span<const PortSet> wanted, Configuration& circuits,
                          std::vector<Connection>& fresh) {
  // A: circuits under way.
  circuits.clear();
  for_each_port(busy_.words(), [&](Port source) {
    const UnderWay& circuit = under_way_[source];
    if (tick - circuit.started >= quantum_ || worm_interrupts(circuit, source, tick)) {
      join_queue(tick, circuit.slot, source);
      busy_.reset(source);
      return;
    }
    circuits.add({source, circuit.destination});
    slot_a_[source] = circuit.slot;
  });
  // Then the longest waiting. Void entries are removed on the way.
  std::size_t kept = 0;
  for (const Waiting& entry : waiting_) {
    const Since& since_then = since(entry.slot, entry.source);
    if (since_then.stamp != entry.stamp) continue;
    waiting_[kept++] = entry;
    const Connection c{entry.source, schedule[entry.slot].destination_of(entry.source)};
    if (circuits.fits(c) && !worm_keeps(c, since_then.at)) {
      circuits.add(c);
      slot_a_[c.source] = entry.slot;
    }
  }
  waiting_.resize(kept);

  // B: the order of the slots. If a change has a cost, the circuits under way keep their protection.
  second_.clear();
  if (change_ != Time{})
    for_each_port(busy_.words(), [&](Port source) {
      const UnderWay& circuit = under_way_[source];
      if (tick - circuit.started >= protect_) return;
      second_.add({source, circuit.destination});
      slot_b_[source] = circuit.slot;
    });
  for (std::uint32_t k = 0; k < slots_; ++k) {
    const std::uint32_t slot = (first_slot + k) % slots_;
    for_each_port(wanted[slot].words(), [&](Port source) {
      const Connection c{source, schedule[slot].destination_of(source)};
      if (!second_.fits(c) || worm_keeps(c, since(slot, source).at)) return;
      second_.add(c);
      slot_b_[source] = slot;
    });
  }
  if (gain(second_) > gain(circuits)) {
    std::swap(second_, circuits);
    std::swap(slot_a_, slot_b_);
  }

  // The circuits under way and in the fabric.
  PortSet& used = busy_;
  for_each_port(circuits.inputs().words(), [&](Port source) {
    UnderWay& circuit = under_way_[source];
    const Port destination = circuits.destination_of(source);
    if (!used.test(source) || circuit.destination != destination)
      circuit = {destination, slot_a_[source], tick};
    prepared_.reset(source);
    put_in_fabric({source, destination}, fresh);
  });
  for_each_port(has_prediction_.words(), [&](Port source) {
    const Connection c{source, predicted_[source]};
    const bool held = schedule[predicted_slot_[source]].holds(c);
    if (held && !circuits.fits(c)) return;  // later
    has_prediction_.reset(source);
    // A prediction does not take the output from a circuit that may be used again.
    const Port other = fabric_.source_of(c.destination);
    if (held && (other == kNoPort || !holds(schedule, {other, c.destination}))) put_in_fabric(c, fresh);
  });
  for (std::size_t w = 0; w < used.words().size(); ++w) used.words()[w] = circuits.inputs().words()[w];
  if (!keeps_unused_ && fabric_.count() != circuits.count())
    for_each_port(fabric_.inputs().words(), [&](Port source) {
      if (const Connection c{source, fabric_.destination_of(source)}; !circuits.holds(c)) fabric_.remove(c);
    });

  for (const Connection c : worms_) worm_in_[c.source] = worm_out_[c.destination] = Time::never();
  worms_.clear();
}

void CircuitPlan::end_all() {
  busy_.clear();
  if (!keeps_unused_ && !fabric_.empty()) fabric_.clear();
}

void CircuitPlan::visit(StateVisitor& v) {
  v.same(busy_);
  v.same(has_prediction_);
  v.same(prepared_);
  for_each_port(busy_.words(), [&](Port source) {
    UnderWay& circuit = under_way_[source];
    v.same((std::uint64_t{circuit.slot} << 32) + circuit.destination);
    v.instant(circuit.started);
  });
  for_each_port(fabric_.inputs().words(), [&](Port source) {
    v.same((std::uint64_t{source} << 32 | fabric_.destination_of(source)) + 1);
  });
  v.same(0);
  for (const Waiting& entry : waiting_) {
    Since& waits = since(entry.slot, entry.source);
    if (waits.stamp != entry.stamp) continue;
    v.same((std::uint64_t{entry.source} << 32 | entry.slot) + 1);
    v.instant(waits.at);
  }
  v.same(0);
}

}  // namespace hybrid
