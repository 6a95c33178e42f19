// The exchanges of the CM-5 (D 2.3.1; emulator/traffic/exchange.h).
#include <bit>
#include <string>
#include <string_view>

#include "core/error.h"
#include "emulator/traffic/exchange.h"

namespace hybrid {
namespace {

/// Refuses a number of nodes that is not a power of two: the exchange pairs nodes by the bits of their
/// numbers.
void require_power_of_two(std::string_view exchange, std::uint32_t nodes) {
  if ((nodes & (nodes - 1)) == 0) return;
  std::uint32_t below = 2;
  while (below < nodes / 2 + nodes % 2) below *= 2;
  throw UserError("exchange: " + std::string(exchange) + " needs a power of two of nodes, but there are " +
                      std::to_string(nodes),
                  "Give " + std::to_string(below) + " or " + std::to_string(2 * below) +
                      " --nodes, or --exchange linear.");
}

/// Linear exchange: in step i = 1 ... N - 1 each node sends to the i-th node after it, so that all sends of a
/// step cover the same distance. Any number of nodes. A node sends to one partner and receives from another.
class LinearExchange final : public Exchange {
 public:
  using Exchange::Exchange;
  Port partner(Port node, std::uint32_t step) const override { return (node + step + 1) % nodes(); }
};

const ExchangeRegistration kLinear{
    "linear", "step i: every node sends to the i-th node after it (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> { return std::make_unique<LinearExchange>(nodes); }};

/// Pairwise exchange: in step i = 1 ... N - 1 the nodes n and n xor i send to each other. The first steps
/// stay within small groups (the first 3 within groups of 4 nodes); the last N/2 all cross the middle.
class PairwiseExchange final : public Exchange {
 public:
  explicit PairwiseExchange(std::uint32_t nodes) : Exchange(nodes) {
    require_power_of_two("pairwise", nodes);
  }
  Port partner(Port node, std::uint32_t step) const override { return node ^ (step + 1); }
};

const ExchangeRegistration kPairwise{"pairwise", "step i: nodes n and n xor i send to each other (D 2.3.1)",
                                     [](std::uint32_t nodes) -> std::unique_ptr<Exchange> {
                                       return std::make_unique<PairwiseExchange>(nodes);
                                     }};

/// Balanced exchange: the pairwise exchange of virtual numbers v = (n + 1) mod N. The groups of virtual
/// numbers overlap those of the nodes, so that steps that stay within a group in the pairwise exchange partly
/// cross its border, and some steps that cross it with all nodes do not. Every step then uses some of the
/// upper links of a fat tree, and their load is even.
class BalancedExchange final : public Exchange {
 public:
  explicit BalancedExchange(std::uint32_t nodes) : Exchange(nodes) {
    require_power_of_two("balanced", nodes);
  }
  Port partner(Port node, std::uint32_t step) const override {
    const std::uint32_t virtual_number = (node + 1) % nodes();
    return ((virtual_number ^ (step + 1)) + nodes() - 1) % nodes();
  }
};

const ExchangeRegistration kBalanced{
    "balanced", "pairwise with node numbers shifted by one: every step has near and far partners (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> {
      return std::make_unique<BalancedExchange>(nodes);
    }};

/// Recursive exchange: log2 N steps. In the first step the nodes of one half send to those of the other half
/// all data for that half, N/2 blocks in one message; then each half does the same within itself. A node
/// sends N/2 log2 N blocks instead of N - 1, but needs only log2 N configurations, which fit into few slots.
class RecursiveExchange final : public Exchange {
 public:
  explicit RecursiveExchange(std::uint32_t nodes) : Exchange(nodes) {
    require_power_of_two("recursive", nodes);
  }
  std::uint32_t steps() const override { return static_cast<std::uint32_t>(std::countr_zero(nodes())); }
  Port partner(Port node, std::uint32_t step) const override { return node ^ (nodes() >> (step + 1)); }
  std::uint32_t blocks() const override { return nodes() / 2; }
  bool forwards() const override { return true; }
};

const ExchangeRegistration kRecursive{
    "recursive", "log2 N steps: halves exchange N/2 blocks per message, then each half likewise (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> {
      return std::make_unique<RecursiveExchange>(nodes);
    }};

}  // namespace
}  // namespace hybrid
