// Synthetic traffic on an emulated switch: a pattern drives a technique.
//
// Open loop (`load` > 0): the messages of each sending node arrive as a Poisson process with a mean of `load`
// times the link's rate, independent of the NIC. Messages above the rate that the switch accepts queue in the
// PE. Closed loop (`load` = 0): a node hands over its next message when the last word of the previous one has
// left the PE and, with `outstanding` = n, only while fewer than n of its messages are undelivered.
//
// The load is measured from the end of the warm-up until the first sending node hands over its last message,
// so that all nodes send in the whole interval: the payload handed over in it (offered) and delivered in it
// (accepted), as shares of the capacity of the sending nodes' links. A switch that accepts less than is
// offered is saturated, and its latencies depend on the length of the run. In open loop, latencies exclude
// messages handed over during the warm-up; all other measures cover the whole run. User documentation:
// docs/traffic.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/option.h"
#include "core/units.h"
#include "emulator/measures.h"
#include "emulator/parameters.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

struct TrafficOptions {
  std::string pattern = "uniform";
  Bytes message = 128;         // payload of each message
  std::uint64_t messages = 0;  // per sending node; 0: the pattern's default
  /// Predictable share, for patterns that mix traffic (D 4.6.1, 5.5.2.3), in [0, 1].
  double ratio = 0.5;
  std::uint64_t phase_length = 64;  // pattern phases: messages per node in one turn of all phases
  /// Open loop: payload offered per sending node, as a share of the link's rate, in (0, 1]. 0: closed loop.
  double load = 0;
  /// Closed loop: limit of a node's messages that are handed over and not yet delivered; 0: no limit.
  std::uint32_t outstanding = 0;
  /// Time::never(): no warm-up in closed loop; in open loop a fifth of the expected time in which a node
  /// hands over its messages.
  Time warmup = Time::never();
  double hotspot = 0.25;  // pattern hotspot: share of the messages that go to node 0
  // Of the dissertation's patterns (D 4.6, 5.5.2), where its text leaves a choice.
  bool torus = false;               // meshes wrap: every node has four neighbours
  bool permuted_rounds = false;     // random meshes: all directions in a random order, again and again
  bool random_avoids_mesh = false;  // mixed, phases: random messages do not use its connections
  bool mixes_evenly = false;        // mixed: both kinds alternate by the ratio instead of by chance
  bool phase_barrier = false;       // phases, two-phase: a phase begins when the one before is delivered
  double first_share = 0.5;         // determinism: of the first specific destination, in (0, 1)
  SpecificTurns specific_turns;     // determinism
  /// Pattern all-to-all: name of its exchange (emulator/traffic/exchange.h); "": linear.
  std::string exchange;
  /// Name of a fixed topology (emulator/traffic/fixed_topology.h) that is mapped onto the traffic and
  /// preloaded instead of the pattern's known configurations; "": none.
  std::string preload_topology;
};

/// Selects the traffic of the dissertation's text (`--model`), or ours: sets torus, random_avoids_mesh and
/// phase_barrier.
void use_model(bool dissertation, TrafficOptions& options);

/// Adds an option for each field of `options`, which must outlive the table.
void add_traffic_options(OptionTable& table, TrafficOptions& options);

/// Throws UserError, with the option and a fix, for invalid options.
void check(const TrafficOptions& options);

/// Called from time to time with the number of messages delivered and the total.
using SimulationProgress = std::function<void(std::uint64_t delivered, std::uint64_t all)>;

class PortTimeline;
/// Runs synthetic traffic until every message is delivered and returns the measures. The same arguments give
/// the same measures.
///
/// Preloads `parameters.preload` of the pattern's known configurations before the traffic begins. If
/// configurations have turns, a slot gets the next one when its configuration has served its messages. With
/// `options.preload_topology`, the slots hold the connections of that topology for the whole run.
///
/// `timeline` records the activity of the ports; it may be null.
///
/// Throws UserError for invalid parameters or options, RunError if messages can never arrive (for example if
/// all slots are preloaded with other connections), and std::logic_error if the technique loses, duplicates,
/// truncates or reorders messages (emulator/switching/messages_in_flight.h).
Measures simulate(const SwitchParameters& parameters, const TrafficOptions& options,
                  const SimulationProgress& progress = {}, PortTimeline* timeline = nullptr);

class Technique;
/// Returns the pattern of `options` for that switch. Throws UserError for a number of nodes that the pattern
/// does not support.
std::unique_ptr<Pattern> make_pattern(const SwitchParameters& parameters, const TrafficOptions& options);

/// As above with a given pattern and technique, which must be new.
Measures simulate(Technique& technique, Pattern& pattern, const SwitchParameters& parameters,
                  const TrafficOptions& options, const SimulationProgress& progress = {});

}  // namespace hybrid
