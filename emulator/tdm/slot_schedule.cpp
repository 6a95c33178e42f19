#include "emulator/tdm/slot_schedule.h"

#include "emulator/scheduler/model_port.h"

namespace hybrid {

SlotSchedule::SlotSchedule(const SwitchParameters& parameters, CircuitTable& circuits, EventQueue& events,
                           TechniqueStatistics& statistics)
    : circuits_(circuits),
      events_(events),
      statistics_(statistics),
      ports_(parameters.nodes),
      port_(make_scheduler_port(parameters)),
      slots_(parameters.slots, Configuration(parameters.nodes)),
      held_(parameters.nodes, parameters.slots),
      preloaded_(slots_),
      preloaded_since_(parameters.slots) {}

void SlotSchedule::preload(Time now, std::uint32_t slot, const Configuration& configuration) {
  for (Configuration& other : preloaded_)
    for (const Connection c : configuration.connections()) other.remove(c);
  preloaded_[slot] = configuration;
  preloaded_since_[slot] = now;
  port_->preload(now, slot, configuration);
}

void SlotSchedule::make_dynamic(Time now, std::uint32_t slot) {
  preloaded_[slot].clear();
  port_->preload(now, slot, Configuration(ports_));
}

void SlotSchedule::flush(Time now, Port source) {
  for (CircuitState& c : circuits_.all())
    if (source == kNoPort || c.connection.source == source) c.patience_ends = Time::never();
  for (Configuration& held : preloaded_) {
    if (source == kNoPort)
      held.clear();
    else if (const Port destination = held.destination_of(source); destination != kNoPort)
      held.remove({source, destination});
  }
  port_->flush(now, source);
}

void SlotSchedule::watch(Time now) {
  Time next = port_->next_change();
  if (next == Time::never()) return;
  next = std::max(next, now);
  if (next >= port_watched_) return;
  port_watched_ = next;
  events_.push(next, kPort);
}

std::span<const Grant> SlotSchedule::advance(Time now) {
  if (port_watched_ <= now) port_watched_ = Time::never();
  grants_.clear();
  port_->advance(now, grants_);
  return grants_;
}

CircuitState& SlotSchedule::apply(const Grant& grant) {
  CircuitState& c = circuits_.at(grant.connection);
  if (grant.kind == Grant::Kind::established) {
    slots_[grant.slot].add(grant.connection);
    held_.add(grant.slot, c);
    c.established = true;
    c.slot = grant.slot;
    c.established_since = grant.at;
    c.patience_ends = Time::never();
    ++statistics_.established;
  } else {
    slots_[grant.slot].remove(grant.connection);
    held_.remove(grant.slot, c);
    c.established = false;
    statistics_.held += grant.at - c.established_since;
    if (!c.waits(grant.at)) statistics_.held_unused += grant.at - std::max(c.gone, c.established_since);
  }
  return c;
}

}  // namespace hybrid
