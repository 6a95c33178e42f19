// Presets of circuit fabrics of today. The packet switch with which they are compared has the same links.
#include <memory>

#include "emulator/presets/today.h"

namespace hybrid {

namespace {

constexpr BitRate k400G = 400'000'000'000;
constexpr Time kPacketLatency = nanoseconds(250);  // as ethernet-51t

std::unique_ptr<Preset> fabric(std::uint32_t nodes, Time command, Time switching, Time lock,
                               const char* allocation = "held") {
  auto preset = std::make_unique<Preset>(packet_switch(nodes, k400G, kPacketLatency));
  preset->parameters.allocation = allocation;
  use_fabric(preset->parameters, command, switching, lock);
  return preset;
}

const PresetRegistration kMems{
    "ocs-mems-400g", "circuit fabric: 3D MEMS mirrors, 80 ports of 400 Gb/s, 10 ms",
    [] { return fabric(80, microseconds(500), milliseconds(9), microseconds(500)); }};

const PresetRegistration kGoogle{"ocs-google-400g",
                                 "circuit fabric: 3D MEMS with camera, 136 ports of 400 Gb/s, 2 ms (Palomar)",
                                 [] { return fabric(136, Time{}, milliseconds(2), Time{}); }};

const PresetRegistration kPiezo{"ocs-piezo-400g",
                                "circuit fabric: piezo-electric beam steering, 384 ports of 400 Gb/s, 25 ms",
                                [] { return fabric(384, Time{}, milliseconds(25), Time{}); }};

/// The switch accepts a configuration while the one before still carries data, so that only mirrors and
/// receivers interrupt it.
const PresetRegistration kMordia{"ocs-mems-2d-400g",
                                 "circuit fabric: 2D MEMS, 24 ports of 400 Gb/s, 11.5 us (Mordia)",
                                 [] { return fabric(24, Time{}, nanoseconds(2'800), nanoseconds(8'700)); }};

/// Cycles through all matchings, whatever the demand.
const PresetRegistration kRotor{
    "rotornet-400g",
    "circuit fabric: rotor switch, 128 ports of 400 Gb/s, 10 us, a slot for every destination", [] {
      auto preset = fabric(128, Time{}, microseconds(10), Time{}, "none");
      preset->slot_per_destination = true;
      return preset;
    }};

const PresetRegistration kSilicon{"ocs-silicon-400g",
                                  "circuit fabric: silicon photonics, 50 ports of 400 Gb/s, 1 us",
                                  [] { return fabric(50, Time{}, nanoseconds(850), nanoseconds(150)); }};

/// A laser and a clock per channel of 50 Gb/s.
const PresetRegistration kSirius{
    "awgr-50g", "circuit fabric: tunable lasers and a grating (AWGR), 128 ports of 50 Gb/s, 3.84 ns (Sirius)",
    [] {
      auto preset = std::make_unique<Preset>(packet_switch(128, 50'000'000'000, kPacketLatency));
      preset->slot_per_destination = true;
      SwitchParameters& p = preset->parameters;
      p.slot_length = nanoseconds(100);
      p.allocation = "none";
      use_fabric(p, Time{}, picoseconds(3'840), Time{});
      return preset;
    }};

}  // namespace

}  // namespace hybrid
