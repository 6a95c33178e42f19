#include "emulator/scheduler/slot_by_slot.h"

#include <algorithm>
#include <stdexcept>

namespace hybrid {

SlotFit SlotBySlot::fit(const SlotProblem& problem) {
  prepare(problem);
  fill_slots();
  return take_fit();
}

void SlotBySlot::prepare(const SlotProblem& problem) {
  const std::uint32_t ports = problem.set.ports;
  set_ = &problem.set;
  fixed_ = take_fixed(problem);
  scheduler_ = make_(ports);
  open_ = BitMatrix(ports, ports);
  inputs_ = nothing_ = PortSet(ports);
  left_.assign(ports, 0);
  for (const std::size_t i : fixed_.rest) {
    const Connection c = problem.set.requests[i].connection;
    open_.set(c.source, c.destination);
    inputs_.set(c.source);
    ++left_[c.source];
  }
  grants_.clear();
  grants_.reserve(fixed_.rest.size());
  slot_ = Configuration(ports);
  used_ = 0;
}

void SlotBySlot::fill_slots() {
  const auto ports = static_cast<Port>(left_.size());
  Port priority = 0;
  for (; grants_.size() < fixed_.rest.size() && used_ < fixed_.slots_left; ++used_) {
    slot_.clear();
    while (true) {
      const auto toggles =
          scheduler_->pass({open_, nothing_, slot_, inputs_, {priority, priority}, nullptr, used_});
      priority = priority + 1 == ports ? 0 : priority + 1;
      if (toggles.empty()) break;
      for (const Connection& c : toggles) {
        // Everything in the slot is requested, so that no connection must be released.
        if (!open_.test(c.source, c.destination) || !slot_.add(c))
          throw std::logic_error("a one-slot scheduler toggled a connection that it must not toggle");
        open_.reset(c.source, c.destination);
        grants_.push_back({c, used_});
        if (--left_[c.source] == 0) inputs_.reset(c.source);
      }
    }
    if (slot_.empty()) throw std::logic_error("a one-slot scheduler leaves requests between free ports");
  }
}

SlotFit SlotBySlot::take_fit() {
  const auto by_connection = [](const auto& a, const auto& b) { return a.connection < b.connection; };
  std::sort(grants_.begin(), grants_.end(), by_connection);
  for (const std::size_t i : fixed_.rest) {
    const Grant wanted{set_->requests[i].connection, 0};
    const auto grant = std::lower_bound(grants_.begin(), grants_.end(), wanted, by_connection);
    if (grant != grants_.end() && grant->connection == wanted.connection)
      fixed_.fit.slot_of[i] = fixed_.fit.slots + grant->slot;
  }
  fixed_.fit.slots += used_;
  return std::move(fixed_.fit);
}

}  // namespace hybrid
