// Presets of electrical packet switches of today.
#include <memory>

#include "emulator/presets/today.h"

namespace hybrid {

namespace {

const PresetRegistration kInfiniband{
    "infiniband-400g", "electrical packet switch: 64 ports of 400 Gb/s, 130 ns (InfiniBand NDR)",
    [] { return std::make_unique<Preset>(packet_switch(64, 400'000'000'000, nanoseconds(130))); }};

const PresetRegistration kEthernet{
    "ethernet-51t", "electrical packet switch: 128 ports of 400 Gb/s, 250 ns (Ethernet of 51.2 Tb/s)",
    [] { return std::make_unique<Preset>(packet_switch(128, 400'000'000'000, nanoseconds(250))); }};

}  // namespace

}  // namespace hybrid
