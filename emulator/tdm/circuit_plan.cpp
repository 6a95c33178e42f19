#include "emulator/tdm/circuit_plan.h"

#include <algorithm>

#include "emulator/network/timing.h"

namespace hybrid {

namespace {
// A change of circuits may cost a tenth of the time in which they are used.
constexpr std::int64_t kPays = 10;
}  // namespace

bool CircuitPlan::keeps_unused(const SwitchParameters& p, bool wormhole_slot) {
  if (!wormhole_slot || p.is_tree()) return true;
  if (p.misses_use_worms) return false;
  const Timing timing(p);
  const Time to_circuit = timing.nic + timing.control * 2 + Time{p.slot_length.ps / 2} + timing.circuit;
  return timing.wire + timing.fabric_reconfiguration + timing.analog >= to_circuit;
}

double CircuitPlan::least_accuracy(const SwitchParameters& p, bool keeps_unused) {
  if (keeps_unused) return 0.5;
  const Time pass = Time{p.scheduler.cycle.ps / 2} + p.scheduler.delay();
  const Time next_slot = Time{p.slot_length.ps / 2} + p.control_wire() + p.serialise + p.cable;
  const Time cost = std::max(Time{}, next_slot - pass) + p.unusable_slot_time(true);
  const Time gain = pass + p.deserialise + p.serialise;
  return static_cast<double>(cost.ps) / static_cast<double>(std::max<std::int64_t>(1, (cost + gain).ps));
}

Time CircuitPlan::protection(const SwitchParameters& p) {
  return std::max(p.slot_length, kPays * p.unusable_slot_time(true));
}

CircuitPlan::CircuitPlan(const SwitchParameters& p, bool keeps_unused)
    : slots_(p.slots),
      protect_(protection(p)),
      change_(p.unusable_slot_time(true)),
      keeps_unused_(keeps_unused),
      under_way_(p.nodes),
      busy_(p.nodes),
      due_(std::size_t{p.nodes} * p.slots),
      expects_(p.nodes),
      expected_(p.nodes, kNoPort),
      inputs_for_worms_(p.nodes),
      outputs_for_worms_(p.nodes),
      fabric_(p.nodes),
      second_(p.nodes),
      slot_a_(p.nodes),
      slot_b_(p.nodes),
      worm_in_(p.nodes, Time::never()),
      worm_out_(p.nodes, Time::never()) {
  if (!p.is_tree()) return;
  fabric_paths_.emplace(p.tree);
  paths_a_.emplace(p.tree);
  paths_b_.emplace(p.tree);
}

void CircuitPlan::set_waiting(std::uint32_t slot, Port source, Time at) {
  settled_ = false;
  due(slot, source) = {at, ++last_stamp_};
  const auto later = std::upper_bound(waiting_.begin(), waiting_.end(), at,
                                      [](Time a, const Waiting& b) { return a < b.due; });
  waiting_.insert(later, {slot, source, last_stamp_, at});
}

void CircuitPlan::end_waiting(std::uint32_t slot, Port source) {
  settled_ = false;
  due(slot, source).stamp = 0;
  if (busy_.test(source) && under_way_[source].slot == slot) busy_.reset(source);
}

void CircuitPlan::set_outside(Port source, Time outside) {
  UnderWay& circuit = under_way_[source];
  circuit.outside = outside;
  circuit.most_outside = std::max(circuit.most_outside, outside);
}

void CircuitPlan::expect(Port source, Port destination) {
  if (expected_[source] == destination) return;
  expected_[source] = destination;
  if (destination == kNoPort)
    expects_.reset(source);
  else
    expects_.set(source);
  settled_ = false;
}

bool CircuitPlan::holds(std::span<const Configuration> schedule, Connection c) {
  return std::any_of(schedule.begin(), schedule.end(),
                     [&](const Configuration& slot) { return slot.holds(c); });
}

/// Adds `c` to a candidate, if its ports, and in a tree the links of a path, are free.
bool CircuitPlan::add(Connection c, Configuration& circuits, Paths& paths) const {
  if (!circuits.fits(c)) return false;
  if (paths) {
    if (fabric_paths_->holds(c) && paths->fits(c, fabric_paths_->path_of(c.source)))
      paths->hold(c, fabric_paths_->path_of(c.source));
    else if (!paths->request(c).granted)
      return false;
  }
  return circuits.add(c);
}

/// Whether the fabric holds `c`, on the path that it has in `paths`.
bool CircuitPlan::in_fabric(Connection c, const Paths& paths) const {
  if (!paths) return fabric_.holds(c);
  return fabric_paths_->holds(c) && fabric_paths_->path_of(c.source) == paths->path_of(c.source);
}

/// Requires: `c` is in candidate A.
void CircuitPlan::put_in_fabric(Connection c, std::vector<Connection>& fresh) {
  if (in_fabric(c, paths_a_)) return;
  fresh.push_back(c);
  if (const Port before = fabric_.destination_of(c.source); before != kNoPort)
    fabric_.remove({c.source, before});
  if (const Port before = fabric_.source_of(c.destination); before != kNoPort)
    fabric_.remove({before, c.destination});
  fabric_.add(c);
}

void CircuitPlan::note_worms_only() {
  settled_ = false;
  fabric_.clear();
  busy_.clear();
  if (fabric_paths_) fabric_paths_->clear();
}

void CircuitPlan::add_worm(Connection c, Time arrived) {
  worm_in_[c.source] = worm_out_[c.destination] = arrived;
  worms_.push_back(c);
}

void CircuitPlan::leave_to_worms(const PortSet& inputs, const PortSet& outputs) {
  inputs_for_worms_ = inputs;
  outputs_for_worms_ = outputs;
}

/// Adds circuits that no data waits for to `circuits`, at ports that neither wanted circuits nor worms need.
void CircuitPlan::park(std::span<const Configuration> schedule, Configuration& circuits, PortSet& parked,
                       std::vector<Connection>& fresh) {
  parked.clear();
  // Parks the circuits of the free sources in `sources` for which parks(c) is true.
  const auto for_each_free = [&](const PortSet& sources, auto&& connection_of, auto&& parks) {
    for (std::size_t w = 0; w < sources.words().size(); ++w)
      for (Word rest = sources.words()[w] & ~circuits.inputs().words()[w] & ~inputs_for_worms_.words()[w];
           rest != 0; rest &= rest - 1) {
        const Port source = lowest_port(w, rest);
        const Connection c{source, connection_of(source)};
        if (outputs_for_worms_.test(c.destination) || !parks(c) || !holds(schedule, c) ||
            !add(c, circuits, paths_a_))
          continue;
        parked.set(source);
        put_in_fabric(c, fresh);
      }
  };
  const auto kept_of = [&](Port source) { return fabric_.destination_of(source); };
  for_each_free(fabric_.inputs(), kept_of, [&](Connection c) {
    return expects_.test(c.source) ? expected_[c.source] == c.destination : keeps_unused_;
  });
  for_each_free(expects_, [&](Port source) { return expected_[source]; }, [](Connection) { return true; });
  if (keeps_unused_) for_each_free(fabric_.inputs(), kept_of, [](Connection) { return true; });
}

/// The instant from which the waiting connection `c` interrupts other circuits, if those at its ports go on.
Time CircuitPlan::overdue_at(Connection c, Time due) const {
  const auto ports = static_cast<std::int64_t>(fabric_.ports());
  Time most{};
  for (const Port source : {c.source, fabric_.source_of(c.destination)})
    if (source != kNoPort && busy_.test(source) && !fabric_.holds(c))
      most = std::max(most, under_way_[source].most_outside);
  return due + protect_ + std::min(most, Time{Time::never().ps / 4 / ports}) * ports;
}

bool CircuitPlan::worm_keeps(Connection c, Time due) {
  const Time worm = std::min(worm_in_[c.source], worm_out_[c.destination]);
  if (worm == Time::never()) return false;
  ++worm_comparisons_;
  return worm <= due;
}

/// Time in which the circuits carry words, if each lasts for `protect_`.
Time CircuitPlan::gain(const Configuration& circuits, const Paths& paths) const {
  Time time = protect_ * static_cast<std::int64_t>(circuits.count());
  if (change_ == Time{}) return time;
  for_each_port(circuits.inputs().words(), [&](Port source) {
    if (!in_fabric({source, circuits.destination_of(source)}, paths)) time -= change_;
  });
  return time;
}

void CircuitPlan::compose(Time tick, std::uint32_t first_slot, std::span<const Configuration> schedule,
                          std::span<const PortSet> wanted, Configuration& circuits, PortSet& parked,
                          std::vector<Connection>& fresh) {
  std::erase_if(waiting_,
                [this](const Waiting& entry) { return due(entry.slot, entry.source).stamp != entry.stamp; });
  circuits.clear();
  second_.clear();
  for (Paths* const paths : {&paths_a_, &paths_b_})
    if (*paths) (*paths)->clear();
  const auto add_to_both = [&](Connection c, std::uint32_t slot) {
    if (!add(c, circuits, paths_a_)) return;
    add(c, second_, paths_b_);
    slot_a_[c.source] = slot_b_[c.source] = slot;
  };
  const auto connection_of = [&](const Waiting& entry) {
    return Connection{entry.source, schedule[entry.slot].destination_of(entry.source)};
  };
  next_overdue_ = Time::never();
  if (!waiting_.empty()) {
    const Time first_due = waiting_.front().due;
    const Connection first = connection_of(waiting_.front());
    next_overdue_ = overdue_at(first, first_due);
    if (tick >= next_overdue_ && !worm_keeps(first, first_due)) add_to_both(first, waiting_.front().slot);
  }
  for_each_port(busy_.words(), [&](Port source) {
    const UnderWay& circuit = under_way_[source];
    if (circuit.outside != Time{} || (change_ != Time{} && tick - circuit.started < protect_))
      add_to_both({source, circuit.destination}, circuit.slot);
  });
  // A: by due time.
  for (const Waiting& entry : waiting_)
    if (const Connection c = connection_of(entry);
        circuits.fits(c) && !worm_keeps(c, entry.due) && add(c, circuits, paths_a_))
      slot_a_[c.source] = entry.slot;
  // B: by the order of the slots.
  for (std::uint32_t k = 0; k < slots_; ++k) {
    const std::uint32_t slot = (first_slot + k) % slots_;
    for_each_port(wanted[slot].words(), [&](Port source) {
      const Connection c{source, schedule[slot].destination_of(source)};
      if (second_.fits(c) && !worm_keeps(c, due(slot, source).at) && add(c, second_, paths_b_))
        slot_b_[source] = slot;
    });
  }
  if (gain(second_, paths_b_) > gain(circuits, paths_a_)) {
    std::swap(second_, circuits);
    std::swap(slot_a_, slot_b_);
    std::swap(paths_a_, paths_b_);
  }

  // The circuits under way and in the fabric.
  PortSet& used = busy_;
  for_each_port(circuits.inputs().words(), [&](Port source) {
    UnderWay& circuit = under_way_[source];
    const Port destination = circuits.destination_of(source);
    if (!used.test(source) || circuit.destination != destination)
      circuit = {destination, slot_a_[source], tick};
    put_in_fabric({source, destination}, fresh);
  });
  for (std::size_t w = 0; w < used.words().size(); ++w) used.words()[w] = circuits.inputs().words()[w];
  park(schedule, circuits, parked, fresh);
  settled_ = waiting_.empty() && fresh.empty() && worms_.empty() && !inputs_for_worms_.any();
  std::swap(fabric_paths_, paths_a_);
  if ((!keeps_unused_ || fabric_paths_) && fabric_.count() != circuits.count())
    for_each_port(fabric_.inputs().words(), [&](Port source) {
      if (const Connection c{source, fabric_.destination_of(source)}; !circuits.holds(c)) fabric_.remove(c);
    });

  for (const Connection c : worms_) worm_in_[c.source] = worm_out_[c.destination] = Time::never();
  worms_.clear();
}

void CircuitPlan::visit(StateVisitor& v) {
  v.same(busy_);
  v.same(settled_ ? 1 : 0);
  for (const Port destination : expected_) v.same(destination);
  for_each_port(busy_.words(), [&](Port source) {
    UnderWay& circuit = under_way_[source];
    v.same((std::uint64_t{circuit.slot} << 32) + circuit.destination);
    v.instant(circuit.started);
    v.same(circuit.outside != Time{} ? 1 : 0);
    v.same(static_cast<std::uint64_t>(circuit.most_outside.ps));
  });
  for_each_port(fabric_.inputs().words(), [&](Port source) {
    v.same((std::uint64_t{source} << 32 | fabric_.destination_of(source)) + 1);
    if (fabric_paths_)
      for (const std::uint16_t port : fabric_paths_->path_of(source).up) v.same(port);
  });
  v.same(0);
  v.instant(next_overdue_);
  // Otherwise the order of the due times matters, unless they are compared with the arrivals of worms.
  v.same(v.total(worm_comparisons_) != 0 ? 1 : 0);
  for (const Waiting& entry : waiting_)
    if (due(entry.slot, entry.source).stamp == entry.stamp)
      v.same((std::uint64_t{entry.source} << 32 | entry.slot) + 1);
  v.same(0);
}

}  // namespace hybrid
