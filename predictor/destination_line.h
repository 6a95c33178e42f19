// DestinationLine: detects destinations with a constant step, as in a loop over ranks. The next destination
// of such a line may never have been used before, so that no forecaster can have learnt it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/connection.h"

namespace hybrid {

class DestinationLine {
 public:
  /// Destinations are 0 .. destinations-1; a line wraps around: `(rank + i) % size`.
  explicit DestinationLine(std::uint32_t destinations) : destinations_(destinations) {}

  void send(Port destination) {
    // Without a branch, which would be mispredicted every other time on irregular streams.
    const std::uint32_t around = destinations_ & (0u - std::uint32_t{destination < last_});
    const std::uint32_t step = destination - last_ + around;
    steps_ = step == step_ ? steps_ + 1 : 1;
    step_ = step;
    last_ = destination;
  }
  /// The next destination, if the last kSteps steps were equal.
  std::optional<Port> next() const {
    if (steps_ < kSteps || step_ == 0) return std::nullopt;
    const std::uint32_t next = last_ + step_;
    return next < destinations_ ? next : next - destinations_;
  }

 private:
  static constexpr std::uint32_t kSteps = 2;

  std::uint32_t destinations_;
  Port last_ = kNoPort;  // the step from kNoPort is larger than any other
  std::uint32_t step_ = 0, steps_ = 0;
};

}  // namespace hybrid
