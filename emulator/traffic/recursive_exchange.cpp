// Recursive exchange: log2 N steps; in each, the nodes of one half send to those of the other all that is for
// that half, N/2 blocks in one message; then each half does so within itself. A node sends
// N/2 log2 N blocks instead of N - 1, but needs only log2 N configurations: they fit into few slots.
#include <bit>

#include "emulator/traffic/exchange.h"

namespace hybrid {
namespace {

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
    "recursive", "log2 N steps: halves exchange N/2 blocks a message, then halves of halves (D 2.3.1)",
    [](std::uint32_t nodes) -> std::unique_ptr<Exchange> {
      return std::make_unique<RecursiveExchange>(nodes);
    }};

}  // namespace
}  // namespace hybrid
