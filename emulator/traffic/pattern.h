// A traffic pattern: who sends to whom, in which order. One file a pattern, picked by name.
//
// Contract
// - Every node has its own stream of sends, which depends on the shape and on nothing else: neither on the
//   technique nor on the order in which nodes are asked. So all techniques carry the same traffic.
// - A send's destination is never its source.
// - What a compiler could know of the traffic (D 4.2.2) is told as configurations, one a step. Either all of
//   them are in use throughout (a mesh), or each has its turn, and how many messages it serves is known (an
//   all-to-all). A connection is in one of the configurations in use throughout at most.
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

struct PatternShape {
  std::uint32_t nodes = 0;     // at least 2
  std::uint64_t messages = 0;  // of each node that sends (a mesh: rounds); 0: the pattern's own number
  std::uint64_t seed = 1;
  double ratio = 0.5;               // of messages that are predictable, where a pattern mixes both, in [0, 1]
  std::uint64_t phase_length = 64;  // messages of a node in one turn of its phases, at least 1
  double hotspot = 0.25;            // pattern hotspot: share of the messages that go to node 0
  std::string_view exchange = {};   // pattern all-to-all: its steps (emulator/traffic/exchange.h); "": linear
};

class Pattern {
 public:
  static constexpr std::string_view kKind = "pattern";
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};
  static constexpr std::uint64_t kOwnMessages = 64;  // a node's, where the pattern has no natural number

  struct Send {
    Port destination = kNoPort;
    std::uint64_t step = kNoStep;  // whose turn it belongs to, where steps have turns
    std::uint32_t blocks = 1;      // of the given message size, sent as one message
    std::uint32_t phase = 0;       // of phases()
  };

  struct Known {
    Configuration configuration;
    std::uint64_t messages = 0;  // that belong to this step's turn; 0: in use throughout
  };

  virtual ~Pattern() = default;
  /// How many messages `source` sends in all.
  virtual std::uint64_t messages(Port source) const = 0;
  /// The next send of `source`; called messages(source) times.
  virtual Send next(Port source) = 0;
  /// The names of its phases, where it has several: stretches with a working set of their own (D 5.1), each
  /// of which may come again. A node goes from one to the next by itself.
  virtual std::vector<std::string> phases() const { return {}; }
  /// Whether nodes pass on what they received: then a node sends only while it is ready(), which changes with
  /// received(), told of every delivery.
  virtual bool forwards() const { return false; }
  virtual bool ready(Port /*source*/) const { return true; }
  virtual void received(Port /*destination*/, std::uint64_t /*step*/) {}
  /// The configuration of the given step (0, 1, ...); none after the last, nor for traffic that nobody knows.
  virtual std::optional<Known> known(std::uint64_t /*step*/) const { return {}; }
};

/// Factories throw UserError for a number of nodes that the pattern cannot have.
using PatternRegistration = Registration<Pattern, const PatternShape&>;

/// A node's own source of randomness: streams of different nodes or seeds are unrelated.
inline SmallRandom node_random(std::uint64_t seed, Port node) {
  return SmallRandom(SmallRandom::mixed(seed + (std::uint64_t{node} + 1) * SmallRandom::kStep));
}

/// Any node but `source`, all alike.
inline Port other_node(SmallRandom& random, std::uint32_t nodes, Port source) {
  const auto port = static_cast<Port>(random.below(nodes - 1));
  return port < source ? port : port + 1;
}

}  // namespace hybrid
