// Parts of a switch that are slower than its links.
//
// Every part is meant to handle data at the rate of a link. One that cannot limits all the others, and
// results then describe that part: it is named in notes, reports and JSON (`limited_by`).
//
//   for (const Limit& limit : limiting_parts(p)) puts(to_text(limit).c_str());  // "digital fabric: 6.4 Gb/s"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "emulator/parameters.h"

namespace hybrid {

struct Limit {
  std::string_view part;    // "digital fabric"
  std::string_view option;  // that makes it faster, without "--"
  BitRate rate;             // the most that the part carries for one port, to three digits

  bool operator==(const Limit&) const = default;
};

/// The parts that the technique of `parameters` uses and that are slower than the link, or than the part of
/// the link for worms: PEs (word generation), digital fabric (a word per cycle), scheduler (a pass per worm),
/// queues (one buffer per round trip of a credit). Requires parameters that pass check().
std::vector<Limit> limiting_parts(const SwitchParameters& parameters);

/// "digital fabric: 6.4 Gb/s"
std::string to_text(const Limit& limit);
/// The same for all limits, for the JSON key `limited_by`.
std::vector<std::string> limit_texts(const std::vector<Limit>& limits);

/// One sentence for each limit of `runs`: "The digital fabric limits wormhole and packet to 6.4 Gb/s on links
/// of 100 Gb/s (--digital-fabric-cycle)". Requires runs with the same links.
std::vector<std::string> limit_sentences(std::span<const SwitchParameters> runs);

}  // namespace hybrid
