// Destinations in a line, each as far from the one before as that was from its own: a loop over ranks. What
// is next in a line has perhaps never been sent to, so that nothing learnt foretells it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/connection.h"

namespace hybrid {

class DestinationLine {
 public:
  /// Of destinations 0 .. destinations-1; after the last comes the first: `(rank + i) % size`.
  explicit DestinationLine(std::uint32_t destinations) : destinations_(destinations) {}

  void send(Port destination) {
    // Without a branch: on irregular streams it would go the wrong way every other time.
    const std::uint32_t around = destinations_ & (0u - std::uint32_t{destination < last_});
    const std::uint32_t step = destination - last_ + around;
    steps_ = step == step_ ? steps_ + 1 : 1;
    step_ = step;
    last_ = destination;
  }
  /// What comes next once kSteps have been equal.
  std::optional<Port> next() const {
    if (steps_ < kSteps || step_ == 0) return std::nullopt;
    const std::uint32_t next = last_ + step_;
    return next < destinations_ ? next : next - destinations_;
  }

 private:
  static constexpr std::uint32_t kSteps = 2;

  std::uint32_t destinations_;
  Port last_ = kNoPort;  // from there, the first step is longer than any other
  std::uint32_t step_ = 0, steps_ = 0;
};

}  // namespace hybrid
