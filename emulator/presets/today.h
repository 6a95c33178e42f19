// What the presets of switches of today share. docs/presets.md has the source of each value and names the
// assumptions.
#pragma once

#include <cstdint>

#include "emulator/presets/preset.h"

namespace hybrid {

/// A packet switch of today with ports of `rate`: words of 64 bytes, packets of 4 KiB with one word of
/// headers, 10 m of fibre, adapters of 300 ns, and `latency` from port to port. Its fabric for circuits has
/// the delay of the fibre only and changes in no time.
SwitchParameters packet_switch(std::uint32_t nodes, BitRate rate, Time latency);

/// Replaces the fabric for circuits by one with the given parts of a reconfiguration. Slots are at
/// least as long as `--fabric` makes them with the allocation of `parameters`; a circuit is kept for at least
/// ten reconfigurations in each slot of a TDM cycle.
void use_fabric(SwitchParameters& parameters, Time command, Time switching, Time lock);

}  // namespace hybrid
