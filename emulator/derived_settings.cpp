#include "emulator/derived_settings.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "emulator/fabric.h"

namespace hybrid {

namespace {

/// `own` on a link of another rate: it takes as many words.
Time at_rate(Time own, BitRate own_rate, BitRate rate) {
  if (own <= Time{}) return own;
  const double scaled =
      std::round(static_cast<double>(own.ps) * (static_cast<double>(own_rate) / static_cast<double>(rate)));
  constexpr double kMost = 9e18;  // refused later, with the option's name
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(scaled, kMost)))};
}

}  // namespace

void derive_settings(const GivenSettings& given, SwitchParameters& p) {
  // A rate or a word of 0 is refused later, with the option's name.
  const bool scales = given.link_rate && p.link_rate != 0 && p.word != 0;
  if (scales)
    for (const RateFollower& follower : given.followers) {
      if (follower.given) continue;
      *follower.value = at_rate(follower.own, given.own_link_rate, p.link_rate);
      if (follower.handles_words) *follower.value = std::min(*follower.value, p.word_time());
    }
  if (p.scheduler_table_divisor != 0 && (given.gave("scheduler-cycle") || given.scheduler_latency))
    throw UserError(std::string("scheduler-delay: --scheduler-") +
                        (given.scheduler_latency ? "latency" : "cycle") + " is given, too",
                    "The table replaces both. Give one of the two.");
  follow_scheduler_table(p);
  if (given.slot_length) return;
  p.slot_length = given.own_slot_length;
  // The slots of a preset are for its fabric and its allocation.
  const bool has_fabric =
      given.fabric || (given.own_fabric && (given.allocation || given.parts || p.reconfiguration_given));
  if (scales) {
    // As many bytes as before. The cable, the guard and the reconfiguration do not change with the rate: a
    // slot does not become shorter than they need.
    const Time own = p.slot_length;
    const Time wire = std::min(p.serialise, own) + std::min(p.cable, own) + std::min(p.deserialise, own);
    const Time least = p.is_tree() ? own : std::min(own, std::max(wire, least_slot_length(p)));
    p.slot_length = std::max(least, at_rate(own, given.own_link_rate, p.link_rate));
  }
  if (has_fabric) p.slot_length = std::max(p.slot_length, least_slot_length(p));
}

}  // namespace hybrid
