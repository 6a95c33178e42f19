// The greedy approach to the routing problem (I 4.4): delivery cycles in which processors send what they have
// and nodes arbitrate, nobody knowing of more than what it sees.
//
// In a cycle each processor sends as many of its messages as its channel has paths, drawn at random. Level by
// level up to the root, then down (I 2.1.4), each node gives the paths of an outgoing channel to the messages
// that want them: to all, or where there are more than cap(c), to cap(c) of them, each message having the
// same chance (perfect concentration). A message that gets no path is lost for this cycle, and takes no path
// further on. The others arrive; their processors know, and send the rest in cycles to come.
//
// The memo's listing takes the intersection of M_X and M_Y, the messages that come through the node's two
// other ports; it is empty, their union is meant.
#pragma once

#include <span>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Delivers all messages. Throws UserError for those that do not enter the tree (require_messages).
DeliveryCycles greedy_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                               Random& random);

}  // namespace hybrid
