// Synthetic traffic on an emulated switch: a pattern drives a technique, closed loop (every node sends as
// fast as its NIC takes the messages) or open loop (messages arrive at random at a given load).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/option.h"
#include "core/units.h"
#include "emulator/measures.h"
#include "emulator/parameters.h"

namespace hybrid {

struct TrafficOptions {
  std::string pattern = "uniform";
  Bytes message = 128;         // payload of each message
  std::uint64_t messages = 0;  // of each node that sends; 0: the pattern's own number
  /// Of messages that are predictable, where a pattern mixes both (D 4.6.1, 5.5.2.3), in [0, 1].
  double ratio = 0.5;
  std::uint64_t phase_length = 64;  // messages of a node in one turn of its phases (pattern phases)
  /// Open loop: payload offered by a sending node, as a share of the link's rate, in (0, 1]; messages arrive
  /// as a Poisson process, whether or not the NIC has taken the ones before. 0: closed loop, the next message
  /// is handed over when the last word of the one before has left the PE.
  double load = 0;
  /// Closed loop: a node's messages on the way at most (handed over and not yet delivered); 0: no limit.
  std::uint32_t window = 0;
};

/// Adds an option for each of them, stored into `options` (which must outlive the table).
void add_traffic_options(OptionTable& table, TrafficOptions& options);

/// Refuses what cannot work with a UserError that names the option and the mend.
void check(const TrafficOptions& options);

/// Told now and then: messages delivered, of how many in all.
using SimulationProgress = std::function<void(std::uint64_t delivered, std::uint64_t all)>;

/// Runs until everything sent is delivered. Checks both parameter sets. Of what the pattern knows of itself,
/// as many configurations are preloaded as `parameters.preload` says, before the traffic begins; those that
/// have turns follow one another: when a slot's configuration has served its messages, the slot is preloaded
/// with the next. Throws RunError when messages can never arrive (all slots preloaded with something else,
/// say). The same arguments give the same measures.
Measures simulate(const SwitchParameters& parameters, const TrafficOptions& options,
                  const SimulationProgress& progress = {});

class Pattern;
class Technique;
/// The same with a given pattern and technique, both new.
Measures simulate(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
                  const TrafficOptions& options, const SimulationProgress& progress = {});

}  // namespace hybrid
