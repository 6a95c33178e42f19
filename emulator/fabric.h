// Registry of analog fabric technologies (`--fabric`): how long each takes to change its configuration.
//
// A fabric that changes slowly needs long slots: if a fabric is selected and no slot length is given, a slot
// lasts at least as long as least_slot_length() returns. Guard, reconfiguration and allocation may be given
// before or after the fabric: the options (emulator/switch_options.cpp) compute the slot length again after
// each change.
#pragma once

#include <string_view>

#include "core/registry.h"
#include "core/time.h"

namespace hybrid {

struct SwitchParameters;

/// The three consecutive parts of a reconfiguration.
struct FabricTechnology {
  static constexpr std::string_view kKind = "fabric";
  Time command;    // the fabric's controller accepts the new configuration
  Time switching;  // light or current changes to the new path
  Time lock;       // the receivers' clocks lock to the new senders
  constexpr Time reconfiguration() const { return command + switching + lock; }
};

using FabricRegistration = Registration<FabricTechnology>;

inline constexpr std::int64_t kSlotOfReconfigurations = 10;
inline constexpr std::int64_t kTicksOfReconfiguration = 100;

/// Sets the three parts of `parameters`' reconfiguration. Throws UserError for an unknown name.
void apply_fabric(std::string_view name, SwitchParameters& parameters);

/// The shortest slot for the guard, the reconfiguration and the allocation in `parameters`:
/// kSlotOfReconfigurations times guard and reconfiguration, so that nine tenths of it carry words. If the
/// allocation reconfigures port by port (keeps_circuits()), a slot is only the tick at which the switch
/// decides: kSlotOfReconfigurations guards, and a part 1 / kTicksOfReconfiguration of the reconfiguration,
/// which a decision then delays by at most 1 %. Throws UserError for an unknown allocation.
Time least_slot_length(const SwitchParameters& parameters);

}  // namespace hybrid
