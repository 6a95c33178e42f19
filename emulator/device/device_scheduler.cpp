#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "emulator/device/greedy_device.h"

namespace hybrid {

SharedDevice::SharedDevice(std::string name, std::unique_ptr<GreedyDevice> device)
    : name_(std::move(name)),
      device_(std::move(device)),
      ports_(device_->ports()),
      requests_(ports_, ports_),
      established_(ports_, ports_),
      slots_(device_->slots(), Configuration(ports_)) {}

DeviceScheduler::DeviceScheduler(const SchedulerShape& shape, std::shared_ptr<SharedDevice> shared)
    : ports_(shape.ports), shared_(std::move(shared)), wanted_(words_for(shared_->ports_)) {
  if (ports_ > shared_->ports_)
    throw UserError(
        fmt::format("scheduler: {} has at most {} ports, not {}", shared_->name_, shared_->ports_, ports_),
        "Give fewer --nodes, or another --scheduler: greedy gives the same grants.");
  toggles_.reserve(2 * std::size_t{ports_});
}

void DeviceScheduler::drop(std::uint32_t s, Connection c) {
  shared_->device_->drop(s, c.source);
  shared_->slots_[s].remove(c);
  shared_->established_.reset(c.source, c.destination);
}

/// Drops `c` from the slot that holds it at the device, unless that is slot `s`.
void DeviceScheduler::drop_elsewhere(std::uint32_t s, Connection c) {
  for (std::uint32_t other = 0; other < shared_->slots_.size(); ++other)
    if (other != s && shared_->slots_[other].holds(c)) drop(other, c);
}

void DeviceScheduler::send_slot(const SchedulingPass& in, std::uint32_t s) {
  Configuration& slot = shared_->slots_[s];
  for (Port u = 0; u < shared_->ports_; ++u)
    if (const Port held = slot.destination_of(u);
        held != kNoPort && (u >= ports_ || held != in.slot.destination_of(u)))
      drop(s, {u, held});
  for_each_port(in.slot.inputs().words(), [&](Port u) {
    const Connection c{u, in.slot.destination_of(u)};
    if (slot.holds(c)) return;
    if (shared_->established_.test(c.source, c.destination)) drop_elsewhere(s, c);
    shared_->device_->hold(s, c);
    slot.add(c);
    shared_->established_.set(c.source, c.destination);
  });
}

/// R at the device becomes: the open connections; what slot `s` holds and need not release; and, as before,
/// what other slots hold, which does not affect this pass.
void DeviceScheduler::send_requests(const SchedulingPass& in, std::uint32_t s) {
  for (Port u = 0; u < shared_->ports_; ++u) {
    const std::span<Word> stored = shared_->requests_.row(u);
    const std::span<const Word> held = shared_->established_.row(u);
    const std::span<const Word> open = u < ports_ ? in.open.row(u) : std::span<const Word>();
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
      const Word opens = w < open.size() ? open[w] : 0;
      for_each_port({{opens & held[w]}},
                    [&](Port bit) { drop_elsewhere(s, {u, static_cast<Port>(w * kWordBits + bit)}); });
      wanted_[w] = opens | (stored[w] & held[w]);
    }
    if (const Port v = shared_->slots_[s].destination_of(u); v != kNoPort) {
      if (in.to_release.test(u))
        wanted_[v / kWordBits] &= ~bit_of(v);
      else
        wanted_[v / kWordBits] |= bit_of(v);
    }
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
      for_each_port({{stored[w] ^ wanted_[w]}}, [&](Port bit) {
        shared_->device_->set_request({u, static_cast<Port>(w * kWordBits + bit)},
                                      (wanted_[w] & bit_of(bit)) != 0);
      });
      stored[w] = wanted_[w];
    }
  }
}

void DeviceScheduler::apply(const SchedulingPass& in, std::uint32_t s, std::span<const Connection> toggles) {
  for (const Connection c : toggles) {
    Configuration& slot = shared_->slots_[s];
    const bool known = c.source < ports_ && c.destination < ports_;
    const bool releases = known && slot.holds(c);
    const bool allowed = known && (releases ? in.to_release.test(c.source)
                                            : in.open.test(c.source, c.destination) && slot.add(c));
    if (!allowed)
      throw RunError(fmt::format("scheduler: the device toggles {} -> {} in slot {}, which it must not",
                                 c.source, c.destination, in.slot_number),
                     "Reset the device; if this happens again, its bitstream is faulty.");
    if (releases) {
      slot.remove(c);
      shared_->established_.reset(c.source, c.destination);
    } else {
      shared_->established_.set(c.source, c.destination);
    }
  }
}

std::span<const Connection> DeviceScheduler::pass(const SchedulingPass& in) {
  const std::lock_guard lock(shared_->mutex_);
  const auto s = static_cast<std::uint32_t>(in.slot_number % shared_->slots_.size());
  send_slot(in, s);
  send_requests(in, s);
  const std::span<const Connection> toggles = shared_->device_->pass(s, in.priority);
  apply(in, s, toggles);
  toggles_.assign(toggles.begin(), toggles.end());
  return toggles_;
}

}  // namespace hybrid
