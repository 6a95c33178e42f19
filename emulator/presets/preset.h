// Registry of parameter sets (`--preset`): the dissertation's, and switches of today (docs/presets.md has the
// source of each value).
//
//   const PresetRegistration kMine{"mine", "the switch of our cluster: 64 ports at 200 Gb/s", [] {
//                                    Preset mine;
//                                    mine.parameters.link_rate = 200'000'000'000;
//                                    return std::make_unique<Preset>(mine);
//                                  }};
#pragma once

#include <string_view>

#include "core/registry.h"
#include "emulator/parameters.h"

namespace hybrid {

struct Preset {
  static constexpr std::string_view kKind = "preset";
  SwitchParameters parameters;        // pass check() with every technique
  bool slot_per_destination = false;  // a preloaded slot for every destination, whatever the number of nodes
};

using PresetRegistration = Registration<Preset>;

}  // namespace hybrid
