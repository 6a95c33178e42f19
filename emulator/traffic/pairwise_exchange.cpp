// Pairwise exchange: in step i = 1 ... N - 1 the nodes n and n xor i send to each other. The first steps stay
// within small neighbourhoods (of 4 nodes in the first 3, say), the last N/2 all cross the middle.
#include "emulator/traffic/exchange.h"

namespace hybrid {
namespace {

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

}  // namespace
}  // namespace hybrid
