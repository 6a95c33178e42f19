// An exchange: an all-to-all in steps that are known before it begins, each step a configuration. The CM-5
// scheduled its regular patterns so: "linear exchange, recursive exchange, balanced exchange and pairwise
// exchange" (D 2.3.1, [33]). A node's sends and the preloaded configurations both follow the steps. One file
// an exchange, picked by name.
//
// Contract
// - In every step each node sends to one partner other than itself, and each is the partner of one: a whole
//   permutation.
// - Direct exchanges: over all steps each node sends once to every other: N - 1 steps.
// - Exchanges that forward: a send carries several blocks (one block: what one node has for one other), among
//   them those that came in earlier steps; so a node must have what earlier steps brought before it sends.
//   After the last step every block has reached the node that it is for.
//
// Where the sources differ: in [33]'s linear exchange all nodes send to node i in step i, which no
// configuration holds; here `linear` is the rotation of which D says "during step i, processor n exchange a
// message with processor (n + i) mod N". D says that of the pairwise exchange; here, as in [33], that one
// pairs nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/configuration.h"
#include "core/error.h"
#include "core/registry.h"

namespace hybrid {

class Exchange {
 public:
  static constexpr std::string_view kKind = "exchange";

  /// Of at least 2 nodes.
  explicit Exchange(std::uint32_t nodes) : nodes_(nodes) {}
  virtual ~Exchange() = default;

  std::uint32_t nodes() const { return nodes_; }
  virtual std::uint32_t steps() const { return nodes_ - 1; }
  /// To whom `node` sends in `step`.
  virtual Port partner(Port node, std::uint32_t step) const = 0;
  /// How many blocks one send carries.
  virtual std::uint32_t blocks() const { return 1; }
  /// Whether a send carries blocks that came in earlier steps.
  virtual bool forwards() const { return false; }

  Configuration configuration(std::uint32_t step) const {
    Configuration configuration(nodes_);
    for (Port node = 0; node < nodes_; ++node) configuration.add({node, partner(node, step)});
    return configuration;
  }

 private:
  std::uint32_t nodes_;
};

/// Factories throw UserError for a number of nodes that the exchange cannot have.
using ExchangeRegistration = Registration<Exchange, std::uint32_t>;

/// For exchanges that pair the nodes by the bits of their numbers.
inline void require_power_of_two(std::string_view exchange, std::uint32_t nodes) {
  if ((nodes & (nodes - 1)) == 0) return;
  std::uint32_t below = 2;
  while (below < nodes / 2 + nodes % 2) below *= 2;
  throw UserError("exchange: " + std::string(exchange) + " pairs nodes by the bits of their numbers, but " +
                      std::to_string(nodes) + " nodes are no power of two",
                  "Give " + std::to_string(below) + " or " + std::to_string(2 * below) +
                      " --nodes, or --exchange linear.");
}

}  // namespace hybrid
