// The routing problem on a binary fat tree (I 4.1, definition 6): partition a message set M into subsets,
// each of which passes through the network at once, without contention, in one delivery cycle. No partition
// has fewer subsets than the load factor, rounded up (ChannelLoads::fewest_cycles).
//
// All functions throw UserError for messages that do not enter the tree (require_messages).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

struct DeliveryCycles {
  std::uint32_t cycles = 0;             // number of subsets
  std::vector<std::uint32_t> cycle_of;  // of each message, in the order of M
};

/// The greedy approach (I 4.4), on-line: processors send their messages and nodes arbitrate; each uses only
/// what it observes itself.
///
/// In a cycle each processor sends as many of its messages as its channel has paths, drawn at random. Level
/// by level up to the root, then down (I 2.1.4), each node grants the paths of an outgoing channel to the
/// messages that request them: to all of them or, if there are more than cap(c), to cap(c) of them, each
/// message with the same probability (perfect concentration). A message without a path is lost for this cycle
/// and takes no path further on. The others arrive; their processors are notified, and send the remaining
/// messages in later cycles.
///
/// The memo's listing takes the intersection of M_X and M_Y, the messages that arrive through the node's two
/// other ports. That intersection is empty; the union is meant.
DeliveryCycles greedy_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                               Random& random);

/// The off-line solution, with the whole message set known (I 4.3.1), as Leiserson describes it in the paper
/// that introduced fat trees (the memo's reference 3; theorem 1): the comparison for on-line delivery.
///
/// Messages that turn at one height meet only below the node where they turn. The messages of one height are
/// halved until each part passes through at once: messages are paired as far down as possible by source, and
/// again by destination. The two messages of a pair are put into different halves; this is possible since a
/// ring of pairs has as many pairs of one kind as of the other. So a channel's load splits evenly, except for
/// one message at most, and a height with load factor lambda_t takes at most 2^ceil(lg lambda_t) parts. All
/// heights: less than 2 lambda lg n.
///
/// The theory gives each part a separate cycle. Here the parts only determine the order in which messages are
/// assigned to cycles, by first fit: the i-th part fits into the first i cycles, so that the bound holds.
DeliveryCycles off_line_partition(const BinaryFatTree& tree, std::span<const Connection> messages);

/// Upper bound on the cycles of off_line_partition(): the sum of 2^ceil(lg lambda_t) over the heights at
/// which messages turn.
std::uint32_t off_line_bound(const BinaryFatTree& tree, std::span<const Connection> messages);

/// Off-line by first fit, the simplest off-line solution, for comparison: each message, those with the
/// longest paths first, in the first cycle in which its path is free.
///
/// Of the messages placed before it, a message meets only those that share the topmost channel of its path up
/// or of its path down. If all channels have the same capacity c, a cycle is closed to it only if at least c
/// messages use one of these two channels, and 2 ceil(lambda) - 1 cycles are enough.
DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages);

/// First fit in another order: `order` contains the index of each message once. Does not check the messages.
DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                                  std::span<const std::uint32_t> order);

}  // namespace hybrid
