// Message sets M of a chosen load factor lambda (I 4.1, definition 6; 4.2.4), for the routing problem. A
// message that is in a set twice is two messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// A kind of message set; its load factor is at most `load_factor`, and as near to it as the kind allows.
struct MessageSetKind {
  std::string_view name;
  std::vector<Connection> (*make)(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);
};

/// Source and destination drawn uniformly, until one channel has all that the load factor allows. Which one
/// is left to chance: the others have less.
std::vector<Connection> random_messages(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);

/// Farthest first: as many messages through the root as chance finds room for, then through the nodes below
/// it, and so on down to neighbours. Most channels have all that the load factor allows.
std::vector<Connection> filled_messages(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);

/// Messages p to `to(p)`, the processors in random order, round by round, as long as one still fits. A
/// processor that is its own destination sends nothing.
std::vector<Connection> repeated_permutation(const BinaryFatTree& tree, std::uint32_t load_factor,
                                             Random& random, const std::function<Port(Port)>& to);

/// random, filled; and repeated: a random permutation, bit-complement, bit-reversal, transpose (the halves of
/// the address change places), shift (to the next processor).
const std::vector<MessageSetKind>& message_set_kinds();

}  // namespace hybrid
