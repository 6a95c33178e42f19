// All delays, clocks, sizes and choices of an emulated switch. Every component has a frequency (its cycle)
// and a latency in cycles (D 8.4); a message's delivery time follows from them and from nothing else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/option.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

inline constexpr std::uint32_t kMostNodes = 16'384;  // a table of N x N counters is then 2 GiB
inline constexpr std::uint32_t kMostSlots = 16'384;
inline constexpr std::uint32_t kMostCycles = 1'000'000;  // of a component's latency
inline constexpr std::uint32_t kMostChannels = 64;

struct Clocked {
  Time cycle;
  std::uint32_t latency = 0;  // cycles from input to output
  constexpr Time delay() const { return cycle * latency; }
};

struct SwitchParameters {
  std::string technique = "hybrid";
  std::uint32_t nodes = 16;
  FatTreeShape tree;  // of switches, with `nodes` nodes; no levels: one crossbar

  // Components. Defaults are preset ch5 (D 5.5.1).
  Time word_generation = nanoseconds(10);  // a PE hands one word to its NIC per this time
  Clocked nic{nanoseconds(10), 1};
  Time serialise = nanoseconds(30);    // parallel-to-serial conversion
  Time cable = nanoseconds(20);        // one way
  Time deserialise = nanoseconds(30);  // serial-to-parallel conversion
  BitRate link_rate = 6'400'000'000;   // one 64-bit word per 10 ns
  Clocked scheduler{nanoseconds(80), 1};
  Clocked digital_fabric{nanoseconds(10), 1};  // wormhole
  Clocked analog_fabric{nanoseconds(10), 0};   // circuits: LVDS, below 2 ns, neglected in D 5.5.1
  /// Per change of the analog fabric's configuration: at once, or in three parts (emulator/fabric.h). Both
  /// may be given only if they agree; what models take is fabric_reconfiguration().
  Time reconfiguration{};
  bool reconfiguration_given = false;  // by its option: then 0 must agree, too
  Time reconfiguration_command{}, reconfiguration_switching{}, reconfiguration_lock{};

  Bytes word = 8;
  Bytes flit = 8;
  Bytes worm_limit = 128;                        // payload of one worm
  std::uint32_t worm_overhead_words = 0;         // header and tail words that travel with each worm
  Bytes buffer = kUnlimited;                     // of each NIC queue, and of a switch input's wormhole queue
  std::string input_queues = "per-destination";  // VQ_W of a switch input: that, or "fifo", one for all

  // Links that are split for good between worms and circuits: wave, coll, chen-liu (D 2.3).
  double circuit_share = 0.5;          // of the link's rate, for circuits
  std::uint32_t circuit_channels = 1;  // wave: switches S_1 ... S_K, which divide that share evenly
  Bytes split_size = 512;              // messages from this size on ask for a circuit

  // Time-division multiplexing.
  std::uint32_t slots = 4;    // K predictive slots
  std::uint32_t preload = 0;  // of which preloaded
  Time slot_length = nanoseconds(100);
  Time wormhole_slot_length{};  // S_W's, allocation sla (D 4.4); 0: follows the measured ratio of traffic
  Time guard{};                 // unusable at the start of each slot (D 5.3.1)
  std::string allocation = "ses";
  std::string scheduler_name = "greedy";
  std::uint32_t scheduler_steps = 0;  // of schedulers that work in steps; 0: the scheduler's own number
  std::string predictor = "timeout";
  Time predictor_timeout = microseconds(100);
  Time predictor_pause{};  // of a stretch without sends, what counts towards it at most; 0: all
  std::uint32_t predictor_threshold = 16;
  // Of predictors that ask ahead:
  std::uint32_t predictor_order = 3;  // markov: destinations remembered
  std::uint32_t predictor_ahead = 4;  // destinations asked for after each send, at most
  double predictor_confidence = 0;    // 0 to 1: what is less likely is not asked for

  std::uint64_t seed = 1;

  constexpr Time one_way_wire() const { return serialise + cable + deserialise; }
  constexpr Time reconfiguration_parts() const {
    return reconfiguration_command + reconfiguration_switching + reconfiguration_lock;
  }
  constexpr Time fabric_reconfiguration() const { return std::max(reconfiguration, reconfiguration_parts()); }
  // What a fat tree adds (docs/timing.md, "Fat tree").
  constexpr bool is_tree() const { return tree.levels != 0; }
  /// Between a NIC and the scheduler, which stands above the top switches: a cable more for each level.
  constexpr Time control_wire() const {
    return serialise + cable * std::max<std::int64_t>(1, tree.levels) + deserialise;
  }
  /// What each switch more on its way adds to a circuit.
  constexpr Time circuit_hop() const { return analog_fabric.delay() + cable; }
  /// By how much the longest circuit takes longer than the shortest.
  constexpr Time circuit_spread() const {
    return is_tree() ? circuit_hop() * (2 * (std::int64_t{tree.levels} - 1)) : Time{};
  }
  /// What a slot loses where the configuration changes.
  constexpr Time network_reconfiguration() const { return fabric_reconfiguration() + circuit_spread(); }
  Time word_time() const { return time_on_link(word, link_rate); }
};

/// The rates of a link that is split between worms and circuits (at least 1 bit/s each).
struct SplitRates {
  BitRate worms;
  BitRate channel;  // of one of the circuit_channels
};
SplitRates split_rates(const SwitchParameters& parameters);

/// Throws UserError, naming `option`, the known names and the likely meant one, unless `name` is registered.
void check_registered(std::string_view option, std::string_view kind, std::string_view name);

/// Refuses an unknown --input-queues likewise.
void check_input_queues(std::string_view name);

/// Refuses what cannot work (no nodes, K = 0, slot not longer than its guard, ...) with a UserError that
/// names the option and the mend.
void check(const SwitchParameters& parameters);

/// The dissertation's parameter sets: "ch4", "ch5", "ch8". Keeps `technique`, the network (where
/// `keep_nodes`) and `seed`.
void apply_preset(std::string_view name, SwitchParameters& parameters, bool keep_nodes);

/// D 8.5 (preset ch8): every destination has its own slot, all preloaded.
void preload_every_destination(SwitchParameters& parameters);

/// Adds an option for each parameter, storing into `parameters` (which must outlive the table).
void add_switch_options(OptionTable& table, SwitchParameters& parameters);

}  // namespace hybrid
