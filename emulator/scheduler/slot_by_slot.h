// A one-slot scheduler as a slot fitter: it fills one slot after the other, each by passes until one toggles
// nothing, with the lower slots' connections established (B* of D 5.3). The priority turns with the passes,
// as the hardware's does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/fixed_slots.h"

namespace hybrid {

class SlotBySlot final : public SlotFitter {
 public:
  /// `make` gives a one-slot scheduler for so many ports.
  explicit SlotBySlot(std::function<std::unique_ptr<Scheduler>(std::uint32_t ports)> make)
      : make_(std::move(make)) {}

  /// All of the following. Throws std::logic_error when the scheduler breaks its contract: toggles what must
  /// not be, or leaves requests between free ports.
  SlotFit fit(const SlotProblem& problem) override;

  /// The parts, for those who time the scheduler alone: the request matrix is built, the slots are filled,
  /// the grants are told by request. `problem` must live until take().
  void prepare(const SlotProblem& problem);
  void fill();
  SlotFit take();

 private:
  struct Grant {
    Connection connection;
    std::uint32_t slot = 0;
  };

  std::function<std::unique_ptr<Scheduler>(std::uint32_t)> make_;
  std::unique_ptr<Scheduler> scheduler_;
  const RequestSet* set_ = nullptr;
  FixedSlots fixed_;
  BitMatrix open_;                   // requests that are in no slot yet
  PortSet inputs_;                   // that have some
  PortSet nothing_;                  // to be released
  std::vector<std::uint32_t> left_;  // of each input, how many
  std::vector<Grant> grants_;
  Configuration slot_;
  std::uint32_t used_ = 0;
};

}  // namespace hybrid
