// Linear exchange: in step i = 1 ... N - 1 each node sends to the i-th after it, so that all of a step's
// sends are as far from their sources. Any number of nodes; a node receives from another than it sends to.
#include "emulator/traffic/exchange.h"

namespace hybrid {
namespace {

class LinearExchange final : public Exchange {
 public:
  using Exchange::Exchange;
  Port partner(Port node, std::uint32_t step) const override { return (node + step + 1) % nodes(); }
};

const ExchangeRegistration kLinear{
    "linear", "step i: every node sends to the i-th after it (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> { return std::make_unique<LinearExchange>(nodes); }};

}  // namespace
}  // namespace hybrid
