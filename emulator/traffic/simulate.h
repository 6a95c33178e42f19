// Synthetic traffic on an emulated switch: a pattern drives a technique.
//
// Open loop (`load` > 0): each sending node's messages arrive as a Poisson process whose mean is that share
// of the link's rate, whether or not the NIC has taken the ones before; above what the switch accepts they
// pile up in the PE. Closed loop (`load` = 0): a node hands over its next message when the last word of the
// one before has left the PE, and, with `outstanding` = n, only while fewer than n of its messages are on
// their way.
//
// Load is measured from the end of the warm-up until the first sending node hands over its last message, so
// while all of them send: the payload handed over in that interval (offered) and delivered in it (accepted),
// as shares of what the sending nodes' links could carry meanwhile. Accepted below offered is a saturated
// switch: latencies then depend on how long the run is. Open loop, the latency of messages handed over during
// warm-up is not counted; every other measure is of the whole run. docs/traffic.md is the user's page.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  /// Open loop: payload offered by a sending node, as a share of the link's rate, in (0, 1]. 0: closed loop.
  double load = 0;
  /// Closed loop: a node's messages on the way at most (handed over and not yet delivered); 0: no limit.
  std::uint32_t outstanding = 0;
  /// Open and closed loop; Time::never(): open loop, a fifth of the time in which a node is expected to hand
  /// over its messages; closed loop, none.
  Time warmup = Time::never();
  double hotspot = 0.25;  // pattern hotspot: share of the messages that go to node 0
  /// Pattern all-to-all: its steps, by name (emulator/traffic/exchange.h); "": linear.
  std::string exchange;
  /// A fixed topology (emulator/traffic/fixed_topology.h), mapped onto the traffic and preloaded instead of
  /// what the pattern knows of itself; "": none.
  std::string preload_topology;
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
/// with the next. With `options.preload_topology`, its connections are, and stay. Throws RunError when
/// messages can never arrive (all slots preloaded with something else, say), and std::logic_error when the
/// technique loses, doubles, cuts or reorders (emulator/switching/messages_in_flight.h). The same arguments
/// give the same measures. `timeline`: who is told what the ports do, if anybody.
class PortTimeline;
Measures simulate(const SwitchParameters& parameters, const TrafficOptions& options,
                  const SimulationProgress& progress = {}, PortTimeline* timeline = nullptr);

class Pattern;
class Technique;
/// The pattern of `options` on that switch. Throws UserError for a number of nodes that it cannot have.
std::unique_ptr<Pattern> make_pattern(const SwitchParameters& parameters, const TrafficOptions& options);

/// The same with a given pattern and technique, both new.
Measures simulate(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
                  const TrafficOptions& options, const SimulationProgress& progress = {});

}  // namespace hybrid
