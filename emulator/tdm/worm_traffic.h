// What predictive circuit switching must know of the worms beside it. The defaults are those of a switch
// without worms (technique `tdm`).
#pragma once

#include <cstdint>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/time.h"
#include "emulator/tdm/circuit_plan.h"
#include "emulator/tdm/cycle_controller.h"

namespace hybrid {

class WormTraffic {
 public:
  /// NIC: the instant from which it knows that no worm of `c` is under way; Time::never(): not certain.
  virtual Time time_worms_cleared(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// Switch: a slot in which worms may pass begins; `circuits` share it (nullptr: S_W).
  virtual void open_worm_window(Time /*now*/, const CycleController::Slot& /*slot*/,
                                const Configuration* /*circuits*/) {}
  /// Switch: number of inputs at which wormhole traffic waits, as known to the controller at `at`, which does
  /// not decrease.
  virtual std::uint32_t inputs_with_worms(Time /*at*/) { return 0; }
  /// Switch: it knows from `now` on that this payload was offered, which travels as worms.
  virtual void note_offered_worms(Time /*now*/, Port /*source*/, std::uint64_t /*words*/) {}
  /// Switch: how efficiently worms used S_W until `at`, which does not decrease; as inputs_with_worms().
  virtual Efficiency worm_efficiency(Time /*at*/) { return {}; }
  /// Switch: adds the worms, and the ports that they need, to `plan`, for the slot that begins now.
  virtual void add_worms(Time /*now*/, CircuitPlan& /*plan*/) {}
  /// Whether the controller knows that no wormhole traffic waits; true until a message is sent.
  virtual bool worms_are_idle() const { return true; }

 protected:
  ~WormTraffic() = default;
};

}  // namespace hybrid
