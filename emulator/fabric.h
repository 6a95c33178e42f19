// Registry of analog fabric technologies (`--fabric`): how long each takes to change its configuration.
//
// A fabric that changes slowly needs long slots. If a fabric is selected and no slot length is given, a slot
// lasts at least kSlotOfReconfigurations times its guard and reconfiguration, so that nine tenths of it carry
// words. Guard and reconfiguration may be given before or after the fabric: the options
// (emulator/switch_options.cpp) compute the slot length again after each change.
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

/// Sets the three parts of `parameters`' reconfiguration. Throws UserError for an unknown name.
void apply_fabric(std::string_view name, SwitchParameters& parameters);

/// The shortest slot by the rule above, for the guard and the reconfiguration in `parameters`.
Time least_slot_length(const SwitchParameters& parameters);

}  // namespace hybrid
