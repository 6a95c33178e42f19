// Traffic pattern: the destinations of each node's messages, in order. A pattern registers itself under a
// name; files group related patterns.
//
// Contract
// - Every node has a separate stream of sends, which depends on the shape only, not on the technique and not
// on
//   the order in which nodes call next(). So all techniques carry the same traffic.
// - The destination of a send differs from its source.
// - The part of the traffic that a compiler can know (D 4.2.2) is given as configurations, one per step.
// Either
//   all of them are in use throughout (a mesh), or each has its turn and serves a known number of messages
//   (an all-to-all). A connection is in at most one of the configurations in use throughout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/random.h"
#include "core/registry.h"

namespace hybrid {

/// Pattern determinism: every node has this number of specific destinations, and uses one after the other in
/// the same order, each for this number of messages. 0, 0: two destinations, in a random order.
struct SpecificTurns {
  std::uint32_t destinations = 0;
  std::uint64_t messages = 0;
};

struct PatternShape {
  std::uint32_t nodes = 0;     // at least 2
  std::uint64_t messages = 0;  // per sending node (a mesh: rounds); 0: the pattern's default
  std::uint64_t seed = 1;
  double ratio = 0.5;               // predictable share, for patterns that mix traffic, in [0, 1]
  std::uint64_t phase_length = 64;  // pattern phases: messages per node in one turn of all phases, at least 1
  double hotspot = 0.25;            // pattern hotspot: share of the messages that go to node 0
  std::string_view exchange = {};   // pattern all-to-all: name of its exchange; "": linear
  bool torus = false;               // meshes of D 4.6 and 5.5 wrap
  bool permuted_rounds = false;     // random meshes: a random order of all directions, again and again
  bool random_avoids_mesh = false;  // mixed, phases: random messages do not use connections of the mesh
  bool mixes_evenly = false;        // mixed: messages of both kinds alternate by the ratio, at any time
  double first_share = 0.5;         // determinism: of the first of the two specific destinations
  SpecificTurns specific_turns = {};  // determinism: its specific destinations have turns
};

class Pattern {
 public:
  static constexpr std::string_view kKind = "pattern";
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};
  static constexpr std::uint64_t kDefaultMessages = 64;  // per node, if the pattern has no natural number

  struct Send {
    Port destination = kNoPort;
    std::uint64_t step = kNoStep;  // the turn that it belongs to, if steps have turns
    std::uint32_t blocks = 1;      // blocks of the given message size, sent as one message
    std::uint32_t phase = 0;       // index into phases()
  };

  struct Known {
    Configuration configuration;
    std::uint64_t messages = 0;  // number of messages in this step's turn; 0: in use throughout
  };

  virtual ~Pattern() = default;
  /// Total number of messages of `source`.
  virtual std::uint64_t messages(Port source) const = 0;
  /// Returns the next send of `source`. Call it messages(source) times.
  virtual Send next(Port source) = 0;
  /// Names of the phases, if there are several: stretches with different working sets (D 5.1). A phase may
  /// occur repeatedly. Each node changes phase by itself.
  virtual std::vector<std::string> phases() const { return {}; }
  /// Whether nodes may wait for deliveries. Then a node may send only while it is ready(), and the caller
  /// reports every delivery with received().
  virtual bool waits() const { return false; }
  virtual bool ready(Port /*source*/) const { return true; }
  /// Returns whether nodes other than `destination` may have become ready.
  virtual bool received(Port /*destination*/, std::uint64_t /*step*/) { return false; }
  /// The configuration of `step` (0, 1, ...); none after the last step and for unpredictable traffic.
  virtual std::optional<Known> known(std::uint64_t /*step*/) const { return {}; }
};

/// Factories throw UserError for a number of nodes that the pattern does not support.
using PatternRegistration = Registration<Pattern, const PatternShape&>;

/// Random numbers of one node: streams of different nodes or seeds are independent.
inline SmallRandom node_random(std::uint64_t seed, Port node) {
  return SmallRandom(SmallRandom::mixed(seed + (std::uint64_t{node} + 1) * SmallRandom::kStep));
}

/// Returns a node other than `source`, all with equal probability.
inline Port other_node(SmallRandom& random, std::uint32_t nodes, Port source) {
  const auto port = static_cast<Port>(random.below(nodes - 1));
  return port < source ? port : port + 1;
}

}  // namespace hybrid
