// Slot fitter made of a one-slot scheduler: fills one slot after the other, each by passes until one toggles
// nothing; connections in lower slots count as established (B* of D 5.3). The priority rotates with the
// passes, as in the hardware.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/slot_fitter.h"

namespace hybrid {

class SlotBySlot final : public SlotFitter {
 public:
  /// `make(ports)` returns a one-slot scheduler.
  explicit SlotBySlot(std::function<std::unique_ptr<Scheduler>(std::uint32_t ports)> make)
      : make_(std::move(make)) {}

  /// Calls prepare(), fill_slots() and take_fit(). Throws std::logic_error if the scheduler breaks its
  /// contract: it toggles a connection that it must not toggle, or leaves a request between free ports.
  SlotFit fit(const SlotProblem& problem) override;

  /// The steps of fit(), for callers that measure the scheduler alone: prepare() builds the request matrix,
  /// fill_slots() fills the slots, take_fit() returns the grants by request. `problem` must live until
  /// take_fit() returns.
  void prepare(const SlotProblem& problem);
  void fill_slots();
  SlotFit take_fit();

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
  PortSet inputs_;                   // inputs with such requests
  PortSet nothing_;                  // empty: no connection must be released
  std::vector<std::uint32_t> left_;  // of each input: number of requests that are in no slot yet
  std::vector<Grant> grants_;
  Configuration slot_;
  std::uint32_t used_ = 0;
};

}  // namespace hybrid
