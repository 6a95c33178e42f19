// Exchange: an all-to-all in steps that are known in advance, each step one configuration. The CM-5 scheduled
// its regular patterns like this: "linear exchange, recursive exchange, balanced exchange and pairwise
// exchange" (D 2.3.1, [33]). The sends of a node and the preloaded configurations both follow the steps. An
// exchange registers itself under a name; the CM-5's are in exchanges.cpp.
//
// Contract
// - In every step each node sends to one partner other than itself, and is the partner of exactly one node: a
//   step is a full permutation.
// - Direct exchange: over all N - 1 steps each node sends once to every other node.
// - Forwarding exchange: a send carries several blocks (a block is the data of one node for one other node),
//   including blocks received in earlier steps. A node therefore sends only after it has received the
//   messages of all earlier steps. After the last step every block has reached its destination.
//
// Differences between the sources: in the linear exchange of [33] all nodes send to node i in step i, which
// no configuration holds. Here `linear` is the rotation: "during step i, processor n exchange a message with
// processor (n + i) mod N". D says this of the pairwise exchange; here, as in [33], the pairwise exchange
// pairs nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/configuration.h"
#include "core/registry.h"

namespace hybrid {

class Exchange {
 public:
  static constexpr std::string_view kKind = "exchange";

  /// `nodes` is at least 2.
  explicit Exchange(std::uint32_t nodes) : nodes_(nodes) {}
  virtual ~Exchange() = default;

  std::uint32_t nodes() const { return nodes_; }
  virtual std::uint32_t steps() const { return nodes_ - 1; }
  /// The node that `node` sends to in `step`.
  virtual Port partner(Port node, std::uint32_t step) const = 0;
  /// Number of blocks in one send.
  virtual std::uint32_t blocks() const { return 1; }
  /// Whether a send carries blocks received in earlier steps.
  virtual bool forwards() const { return false; }

  Configuration configuration(std::uint32_t step) const {
    Configuration configuration(nodes_);
    for (Port node = 0; node < nodes_; ++node) configuration.add({node, partner(node, step)});
    return configuration;
  }

 private:
  std::uint32_t nodes_;
};

/// Factories throw UserError for a number of nodes that the exchange does not support.
using ExchangeRegistration = Registration<Exchange, std::uint32_t>;

}  // namespace hybrid
