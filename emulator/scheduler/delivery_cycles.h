// The routing problem on a binary fat tree (I 4.1, definition 6): partition a message set M into subsets,
// each of which goes through the network at once, without contention: it is delivered in one delivery cycle.
// No partition has fewer subsets than the load factor (ChannelLoads::fewest_cycles).
#pragma once

#include <cstdint>
#include <vector>

namespace hybrid {

struct DeliveryCycles {
  std::uint32_t cycles = 0;             // subsets
  std::vector<std::uint32_t> cycle_of;  // of each message, in the order of M
};

}  // namespace hybrid
