// Presets of published systems that combine packets and circuits.
#include <memory>

#include "emulator/presets/today.h"

namespace hybrid {

namespace {

const PresetRegistration kHelios{
    "helios-10g", "hybrid system: 3D MEMS, 64 ports of 10 Gb/s, 27 ms, and 10 % packets (Helios)", [] {
      auto preset = std::make_unique<Preset>(packet_switch(64, 10'000'000'000, nanoseconds(250)));
      use_fabric(preset->parameters, Time{}, milliseconds(12), milliseconds(15));
      preset->parameters.packet_plane = 0.1;
      return preset;
    }};

const PresetRegistration kReactor{
    "reactor-100g", "hybrid system: 2D MEMS, 64 ports of 100 Gb/s, 30 us, and 10 % packets (REACToR)", [] {
      auto preset = std::make_unique<Preset>(packet_switch(64, 100'000'000'000, nanoseconds(250)));
      use_fabric(preset->parameters, Time{}, microseconds(30), Time{});
      preset->parameters.packet_plane = 0.1;
      return preset;
    }};

/// The six links of a chip share one port: the sum of their rates, a sixth of the time for each. The torus
/// does not change during a job, so that the slots follow each other without a reconfiguration.
const PresetRegistration kTpu{
    "tpu-v4-torus",
    "hybrid system: 64 chips, 6 links of 400 Gb/s held by OCS; with --preload-topology torus3d", [] {
      constexpr std::uint32_t kLinks = 6;
      auto preset =
          std::make_unique<Preset>(packet_switch(64, kLinks * BitRate{400'000'000'000}, nanoseconds(250)));
      SwitchParameters& p = preset->parameters;
      p.slots = p.preload = kLinks;
      p.allocation = "none";
      return preset;
    }};

}  // namespace

}  // namespace hybrid
