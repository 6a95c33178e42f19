// A one-slot scheduler as a slot fitter: it fills one slot after the other, each by passes until one toggles
// nothing, with the lower slots' connections established (B* of D 5.3). The priority turns with the passes, as
// the hardware's does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

class SlotBySlot final : public SlotFitter {
 public:
  /// `make` gives a one-slot scheduler for so many ports.
  explicit SlotBySlot(std::function<std::unique_ptr<Scheduler>(std::uint32_t ports)> make)
      : make_(std::move(make)) {}

  /// Throws std::logic_error when the scheduler breaks its contract: toggles what cannot be, or never ends.
  SlotFit fit(const SlotProblem& problem) override;

 private:
  std::function<std::unique_ptr<Scheduler>(std::uint32_t)> make_;
};

}  // namespace hybrid
