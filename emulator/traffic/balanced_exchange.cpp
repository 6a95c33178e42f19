// Balanced exchange: the pairwise exchange of virtual numbers v = (n + 1) mod N. The neighbourhoods of
// virtual numbers lie across those of the nodes, so that steps that stay within a neighbourhood in the
// pairwise exchange cross its border in part, and some of those that all cross do not: a fat tree's upper
// links, of which every step then uses some, have an even load.
#include "emulator/traffic/exchange.h"

namespace hybrid {
namespace {

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
    "balanced", "pairwise with numbers shifted by one: every step has near and far partners (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> {
      return std::make_unique<BalancedExchange>(nodes);
    }};

}  // namespace
}  // namespace hybrid
