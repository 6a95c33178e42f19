// Scatter (D 5.5.2.1): "a unique message from a single processor to all": node 0 to every other node in turn,
// round after round. Each destination has its turn.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class Scatter final : public Pattern {
 public:
  explicit Scatter(const PatternShape& shape)
      : nodes_(shape.nodes), messages_(shape.messages != 0 ? shape.messages : shape.nodes - 1) {}
  std::uint64_t messages(Port source) const override { return source == kRoot ? messages_ : 0; }
  Send next(Port /*source*/) override {
    const std::uint64_t step = next_++;
    return {destination(step), step};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= messages_) return {};
    Known known{Configuration(nodes_), 1};
    known.configuration.add({kRoot, destination(step)});
    return known;
  }

 private:
  static constexpr Port kRoot = 0;
  Port destination(std::uint64_t step) const { return static_cast<Port>(1 + step % (nodes_ - 1)); }
  std::uint32_t nodes_;
  std::uint64_t messages_;
  std::uint64_t next_ = 0;
};

const PatternRegistration kScatter{
    "scatter", "D 5.5.2.1: node 0 to every other node in turn",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Scatter>(shape); }};

}  // namespace
}  // namespace hybrid
