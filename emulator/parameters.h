// Parameters of an emulated switch: delays, clocks, sizes, and the names of what is selected from registries.
//
// Every component has a frequency (its cycle) and a latency in cycles (D 8.4). The delivery time of a message
// depends on these parameters only.
//
//   SwitchParameters p;
//   apply_preset("ch5", p, /*keep_nodes=*/false);
//   p.technique = "tdm";
//   check(p);  // throws UserError
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

inline constexpr std::uint32_t kMostNodes = 16'384;  // a table of N x N counters has 2 GiB
inline constexpr std::uint32_t kMostSlots = 16'384;
inline constexpr std::uint32_t kMostCycles = 1'000'000;  // of a component's latency
inline constexpr std::uint32_t kMostChannels = 64;

/// A component with a clock.
struct Clocked {
  Time cycle;
  std::uint32_t latency = 0;  // cycles from input to output
  constexpr Time delay() const { return cycle * latency; }
};

struct SwitchParameters {
  std::string technique = "hybrid";
  std::uint32_t nodes = 16;
  FatTreeShape tree;  // a fat tree with `nodes` nodes; 0 levels: one crossbar

  // Components. Defaults are preset ch5 (D 5.5.1).
  Time word_generation = nanoseconds(10);  // a PE hands one word to its NIC per this time
  Clocked nic{nanoseconds(10), 1};
  Time serialise = nanoseconds(30);    // parallel-to-serial conversion
  Time cable = nanoseconds(20);        // one way
  Time deserialise = nanoseconds(30);  // serial-to-parallel conversion
  BitRate link_rate = 6'400'000'000;   // one 64-bit word per 10 ns
  Clocked scheduler{nanoseconds(80), 1};
  /// Above 0: `scheduler` follows the number of nodes, by the latency of D Table 5.3 divided by this.
  std::uint32_t scheduler_table_divisor = 0;
  Clocked digital_fabric{nanoseconds(10), 1};  // wormhole
  Clocked analog_fabric{nanoseconds(10), 0};   // circuits: LVDS, below 2 ns, neglected in D 5.5.1
  /// Reconfiguration of the analog fabric: one time, or three parts (emulator/fabric.h). If both are given,
  /// they must agree. Models use fabric_reconfiguration().
  Time reconfiguration{};
  bool reconfiguration_given = false;  // by its option; then 0 must agree with the parts, too
  Time reconfiguration_command{}, reconfiguration_switching{}, reconfiguration_lock{};

  Bytes word = 8;
  Bytes flit = 8;
  Bytes worm_limit = 128;                 // payload of one worm
  std::uint32_t worm_overhead_words = 0;  // header and tail words that travel with each worm
  bool nic_makes_headers = false;         // worm_overhead_words take no time of the PE (D 8.4.1)
  bool worm_lookahead = false;            // ports are granted again before a worm's tail has left
  Bytes buffer = kUnlimited;              // of each NIC queue, and of a switch input's wormhole queue
  bool buffer_is_shared = false;          // `buffer` is that of a NIC, which its queues share
  /// Of a switch input's wormhole queue, if `buffer` is limited; 0: as `buffer` gives it.
  Bytes input_buffer = 0;
  std::string input_queues = "per-destination";  // VQ_W of a switch input; "fifo": one for all destinations

  // Links with a fixed division between worms and circuits: wave, coll, chen-liu (D 2.3).
  double circuit_share = 0.5;          // of the link's rate, for circuits
  std::uint32_t circuit_channels = 1;  // wave: switches S_1 ... S_K, with equal parts of that share
  Bytes split_size = 512;              // messages of this size or larger request a circuit

  std::uint32_t request_width = 0;  // circuit: most requests of a NIC without a grant; 0: any number
  /// hybrid: share of the link's rate that a digital fabric of its own has, which carries the worms (Helios,
  /// REACToR); 0: worms and circuits share the analog fabric (D 3).
  double packet_plane = 0;

  // Time-division multiplexing.
  std::uint32_t slots = 4;    // K predictive slots
  std::uint32_t preload = 0;  // number of preloaded slots
  Time slot_length = nanoseconds(100);
  Time wormhole_slot_length{};  // of S_W, allocation sla (D 4.4); 0: follows the measured ratio of traffic
  /// sla, measured ratio: S_W has its share of the time instead of the data (D 4.4, figure 4.7).
  bool sla_shares_time = false;
  Time guard{};  // unusable at the start of each slot (D 5.3.1)
  std::string allocation = "ses";
  std::string scheduler_name = "greedy";
  std::uint32_t scheduler_steps = 0;  // of schedulers that work in steps; 0: the scheduler's default
  bool preload_is_direct = false;     // preloads take no pass of the scheduler (D 3.4.1, 4.2.2)
  bool pass_fills_all_slots = false;  // a pass of the scheduler fills all slots instead of one
  bool misses_use_worms = true;       // hybrid: a message without a circuit always travels as worms
  bool evicts_at_once = false;        // waiting data that finds no room gets that of an idle circuit at once
  bool demand_guard = true;           // circuits that block waiting data are released (tdm/demand_guard.h)
  std::string predictor = "timeout";
  Time predictor_timeout = microseconds(100);
  Time predictor_pause{};  // most of an interval without sends that counts as unused time; 0: all of it
  std::uint32_t predictor_threshold = 16;
  // Of predictors that request ahead:
  std::uint32_t predictor_order = 3;  // markov: destinations remembered
  std::uint32_t predictor_ahead = 4;  // most destinations requested after each send
  double predictor_confidence = 0;    // 0 to 1: destinations of a lower probability are not requested

  std::uint64_t seed = 1;
  bool dissertation = false;  // set by use_model()
  Time converter{};           // with the dissertation's model, the time of each conversion; 0: as given

  constexpr Time one_way_wire() const { return serialise + cable + deserialise; }
  constexpr Time reconfiguration_parts() const {
    return reconfiguration_command + reconfiguration_switching + reconfiguration_lock;
  }
  /// Time in which one switch's analog fabric changes its configuration.
  constexpr Time fabric_reconfiguration() const { return std::max(reconfiguration, reconfiguration_parts()); }

  /// Whether worms have a fabric and links of their own. Other techniques than hybrid ignore `packet_plane`.
  bool has_packet_plane() const { return packet_plane > 0 && technique == "hybrid"; }

  // Fat trees (docs/timing.md, "Fat tree").
  constexpr bool is_tree() const { return tree.levels != 0; }
  /// Wire between a NIC and the scheduler, which is above the top switches: one cable for each level.
  constexpr Time control_wire() const {
    return serialise + cable * std::max<std::int64_t>(1, tree.levels) + deserialise;
  }
  /// Delay that each further switch adds to a circuit.
  constexpr Time circuit_hop() const { return analog_fabric.delay() + cable; }
  /// Delay of the longest circuit less that of the shortest.
  constexpr Time circuit_spread() const {
    return is_tree() ? circuit_hop() * (2 * (std::int64_t{tree.levels} - 1)) : Time{};
  }
  /// Time from the start of a change of configuration until every circuit of the network can carry words: the
  /// fabrics change, and words on the longest circuit of the old configuration pass.
  constexpr Time network_reconfiguration() const { return fabric_reconfiguration() + circuit_spread(); }
  /// Time at the start of a TDM slot in which no word can be sent: the guard and, if the slot changes the
  /// configuration, the reconfiguration.
  constexpr Time unusable_slot_time(bool reconfigures) const {
    return guard + (reconfigures ? network_reconfiguration() : Time{});
  }
  Time word_time() const { return time_on_link(word, link_rate); }
};

/// Selects our policies instead of the dissertation's: allocation held, predictor tournament, messages that
/// wait for a circuit if that is faster than worms, and eviction of idle circuits at once.
void use_our_policy(SwitchParameters& parameters);

/// Selects a model of the switch (`--model`): the dissertation's, or ours. Sets the options in
/// which the two differ (docs/presets.md): preload_is_direct, tree.turns_at_top, nic_makes_headers and
/// sla_shares_time.
/// apply_preset() keeps the model.
void use_model(bool dissertation, SwitchParameters& parameters);

/// The rates of a link that is divided between worms and circuits (at least 1 bit/s each).
struct SplitRates {
  BitRate worms;
  BitRate channel;  // of one of the circuit_channels
};
SplitRates split_rates(const SwitchParameters& parameters);

/// Sets the scheduler's delay by the number of nodes, if scheduler_table_divisor is set.
void follow_scheduler_table(SwitchParameters& parameters);

/// Sizes of the queues that `buffer` gives. Each has `buffer`; if it is shared, a NIC's queues have `buffer`
/// together, and those of a switch input, too. Then a NIC with Q_W and queues for circuits gives half of it
/// to Q_W, and its queues for circuits share their places (PlacePool). Those of a switch input have equal
/// parts, and so have the NIC's queues for circuits of a link that is divided (circuit_share).
/// `input_buffer` replaces the size of VQ_W.
struct QueueSizes {
  Bytes destination;  // the NIC's queue of one destination, for circuits; with shares_places, of all of them
  Bytes worms;        // Q_W
  Bytes input;        // VQ_W
  bool shares_places;
};
QueueSizes queue_sizes(const SwitchParameters& parameters);

/// Throws UserError unless `name` is registered. The error names `option`, the registered names and the
/// closest of them.
void check_registered(std::string_view option, std::string_view kind, std::string_view name);

/// Throws UserError unless `name` is a kind of --input-queues.
void check_input_queues(std::string_view name);

/// Throws UserError for parameters that cannot work (no nodes, K = 0, a slot not longer than its guard, ...).
/// The error names the option and the fix.
void check(const SwitchParameters& parameters);

/// Applies one of the dissertation's parameter sets: "ch4", "ch5", "ch8". Keeps `technique`, `seed` and, if
/// `keep_nodes`, the network. Throws UserError for an unknown name.
void apply_preset(std::string_view name, SwitchParameters& parameters, bool keep_nodes);

/// Gives every destination a preloaded slot (D 8.5, preset ch8).
void preload_every_destination(SwitchParameters& parameters);

/// Adds one option for each parameter. The options store into `parameters`, which must outlive the table.
void add_switch_options(OptionTable& table, SwitchParameters& parameters);

}  // namespace hybrid
