// Message sets M of a given load factor lambda (I 4.1, definition 6; 4.2.4), for the routing problem. Equal
// messages in a set are separate messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// A kind of message set; the load factor of a set is at most `load_factor`, and as close to it as the kind
/// allows.
struct MessageSetKind {
  std::string_view name;
  std::vector<Connection> (*make)(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);
};

/// Draws source and destination uniformly, until one channel has the full load factor. The others have a
/// lower load factor.
std::vector<Connection> random_messages(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);

/// Fills the channels, longest paths first: as many random messages through the root as fit, then through the
/// nodes below it, and so on down to neighbours. Most channels have the full load factor.
std::vector<Connection> filled_messages(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random);

/// Messages from p to `to(p)`, the processors in random order, round by round, as long as a message fits. A
/// processor that is its own destination sends nothing.
std::vector<Connection> repeated_permutation(const BinaryFatTree& tree, std::uint32_t load_factor,
                                             Random& random, const std::function<Port(Port)>& to);

/// All kinds: random, filled; and repeated: a random permutation, bit-complement, bit-reversal, transpose
/// (exchanges the halves of the address), shift (to the next processor).
const std::vector<MessageSetKind>& message_set_kinds();

}  // namespace hybrid
