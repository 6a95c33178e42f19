// Settings of a switch that follow others until they are given: the clocks follow the link rate, the slot
// length follows the rate, the guard and the reconfiguration.
//
//   GivenSettings given;
//   given.followers = {{"cable", &p.cable}};
//   given.begin(p);                            // the values of a preset
//   p.link_rate *= 2; given.link_rate = true;  // an option
//   derive_settings(given, p);
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

/// A setting that follows the link rate until its own option is given.
struct RateFollower {
  std::string_view option;
  Time* value;
  bool handles_words = false;  // one per cycle: then at most the time of a word on the link
  Time own{};                  // the preset's
  bool given = false;
};

/// The options that were given explicitly. Other settings are derived from these until they are given, too.
struct GivenSettings {
  bool nodes = false, slots = false, preload = false, slot_length = false, allocation = false;
  bool fabric = false, parts = false, link_rate = false;  // parts: of the reconfiguration
  bool scheduler_latency = false;
  bool every_destination = false;     // a preset whose slots follow the nodes
  std::uint32_t number_of_nodes = 0;  // from --nodes
  std::uint32_t crossbar = 0;         // ports, from --network
  // The preset's values, before any was derived.
  Time own_slot_length{};
  bool own_fabric = false;  // it reconfigures
  Clocked own_scheduler{};
  BitRate own_link_rate = 0;
  std::vector<RateFollower> followers;

  /// Takes the values of `p` as those of a preset.
  void begin(const SwitchParameters& p) {
    slots = preload = slot_length = fabric = parts = link_rate = scheduler_latency = false;
    own_slot_length = p.slot_length;
    own_fabric = p.reconfiguration_parts() > Time{};
    own_scheduler = p.scheduler;
    own_link_rate = p.link_rate;
    for (RateFollower& follower : followers) {
      follower.own = *follower.value;
      follower.given = false;
    }
  }
  bool gave(std::string_view option) const {
    return std::any_of(followers.begin(), followers.end(),
                       [&](const RateFollower& f) { return f.given && f.option == option; });
  }
  void give(std::string_view option) {
    for (RateFollower& follower : followers) follower.given |= follower.option == option;
  }
};

/// Derives the clocks from the link rate, and the slot length from the rate, the guard and the
/// reconfiguration, unless they were given. Called after each change, so that the order of options does not
/// matter.
/// Throws UserError if two of them contradict each other.
void derive_settings(const GivenSettings& given, SwitchParameters& p);

}  // namespace hybrid
