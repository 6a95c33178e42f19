// Table of the circuits that the slots hold, by port. All slots of a port, as source and as destination, are
// adjacent: the demand guard, which reads all slots of a port for every waiting request, needs one or two
// cache lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/connection.h"
#include "core/zeroed_array.h"

namespace hybrid {

/// `Circuit` must have a member `connection`. The address of a circuit must not change while it is held here.
template <class Circuit>
class CircuitsHeld {
 public:
  CircuitsHeld(std::uint32_t ports, std::uint32_t slots)
      : slots_(slots), held_(std::size_t{ports} * slots * 2) {}

  /// The circuit from `source` in `slot`; nullptr: none.
  Circuit* of_source(Port source, std::uint32_t slot) const { return held_[row(source) + slot].circuit; }
  Circuit* of_destination(Port destination, std::uint32_t slot) const {
    return held_[row(destination) + slots_ + slot].circuit;
  }

  void add(std::uint32_t slot, Circuit& c) { set(slot, c.connection, &c); }
  void remove(std::uint32_t slot, const Circuit& c) { set(slot, c.connection, nullptr); }

 private:
  struct Held {
    Circuit* circuit;
  };

  std::size_t row(Port port) const { return std::size_t{port} * slots_ * 2; }
  void set(std::uint32_t slot, Connection c, Circuit* circuit) {
    held_[row(c.source) + slot] = {circuit};
    held_[row(c.destination) + slots_ + slot] = {circuit};
  }

  std::size_t slots_;
  ZeroedArray<Held> held_;
};

}  // namespace hybrid
