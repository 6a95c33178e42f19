// Technologies of the analog fabric, picked by name: how long a change of its configuration takes, in three
// parts that follow each other.
//
// A fabric that changes slowly needs long slots. Where a fabric is picked and no slot length is given, a slot
// lasts at least kSlotOfReconfigurations times its guard and reconfiguration, so that nine tenths of it carry
// words. Both may be given beside the fabric, before or after it: the options (emulator/switch_options.cpp)
// ask again whenever one of them changes.
#pragma once

#include <string_view>

#include "core/registry.h"
#include "core/time.h"

namespace hybrid {

struct SwitchParameters;

struct FabricTechnology {
  static constexpr std::string_view kKind = "fabric";
  Time command;    // until the fabric's controller has taken the new configuration
  Time switching;  // until light or current takes the new path
  Time lock;       // until the receivers' clocks follow the new senders
  constexpr Time reconfiguration() const { return command + switching + lock; }
};

using FabricRegistration = Registration<FabricTechnology>;

inline constexpr std::int64_t kSlotOfReconfigurations = 10;

/// Sets the three parts of `parameters`' reconfiguration. Throws UserError for an unknown name.
void apply_fabric(std::string_view name, SwitchParameters& parameters);

/// What a slot lasts at least by the rule above, guard and reconfiguration being what they are now.
Time least_slot_length(const SwitchParameters& parameters);

}  // namespace hybrid
