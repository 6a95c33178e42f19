// Delivery cycles off-line by first fit: each message, farthest first, in the first cycle in which its way
// has a path left. The simplest off-line answer to the routing problem (I 4.1), to be compared with.
//
// A message meets, of those placed before it, only such as share the topmost channel on its way up or the one
// on its way down. Where all channels have one capacity c, a cycle is closed to it only by c messages or more
// of one of those two, and 2 ceil(lambda) - 1 cycles are enough.
#pragma once

#include <cstdint>
#include <span>

#include "core/connection.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Throws UserError for messages that do not enter the tree (require_messages).
DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages);

/// In another order: messages by number, each once. Messages do enter the tree.
DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                                  std::span<const std::uint32_t> order);

}  // namespace hybrid
