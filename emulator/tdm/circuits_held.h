// The circuits that the slots hold, port by port: of a port, whose circuit each slot connects it to, both as
// source and as destination, lies together. Who asks for all slots of a port, as the demand guard does for
// every request that waits, finds them in a line or two of the cache instead of a few for each slot.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/connection.h"
#include "core/zeroed_array.h"

namespace hybrid {

/// `Circuit` has a `connection`; who holds one here keeps its address.
template <class Circuit>
class CircuitsHeld {
 public:
  CircuitsHeld(std::uint32_t ports, std::uint32_t slots)
      : slots_(slots), held_(std::size_t{ports} * slots * 2) {}

  /// The circuit that `slot` holds of `source`; nullptr: none.
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
