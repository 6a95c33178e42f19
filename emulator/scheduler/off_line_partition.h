// The routing problem solved off-line, with the whole message set known (I 4.3.1), as Leiserson does it in
// the paper that introduced fat trees (the memo's reference 3; theorem 1): to be compared with what is
// delivered on-line.
//
// Messages that turn at one height do not meet but below the node where they turn. Those of one height are
// halved until each part goes through at once: messages are paired as far down as they can be by source, and
// again by destination; pairs are put into different halves, which is possible since a ring of pairs has as
// many of one kind as of the other. So a channel's load splits evenly, up to one message, and a height with
// load factor lambda_t takes at most 2^ceil(lg lambda_t) parts. All heights: less than 2 lambda lg n.
//
// The theory gives each part a cycle. Here the parts are only the order in which messages go, by first fit,
// into cycles: the i-th part finds room in the first i of them, so that the bound stays.
#pragma once

#include <cstdint>
#include <span>

#include "core/connection.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Throws UserError for messages that do not enter the tree (require_messages).
DeliveryCycles off_line_partition(const BinaryFatTree& tree, std::span<const Connection> messages);

/// What the construction never exceeds: the sum of 2^ceil(lg lambda_t) over the heights at which messages
/// turn.
std::uint32_t off_line_bound(const BinaryFatTree& tree, std::span<const Connection> messages);

}  // namespace hybrid
