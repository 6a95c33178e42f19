// The options of `hybrid schedule`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/option.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

struct ScheduleOptions {
  std::vector<std::string> schedulers;  // empty: all that can schedule it
  std::uint32_t nodes = 64;
  bool nodes_given = false;
  bool tree_turns_at_top = false;    // of `tree`
  std::optional<FatTreeShape> tree;  // the network; none: a crossbar of `nodes` ports

  std::string requests;  // a file; "": generated sets
  std::string pattern;   // "": random, on fat trees permutation
  double density = 1;
  Bytes message = 1024;
  bool random_sizes = false;
  double hotspot = 0.25;
  std::uint64_t repeats = 0;  // 0: the usual number
  std::uint64_t seed = 1;

  std::uint32_t slots = 1;   // 0: as few as needed
  bool slots_given = false;  // on a fat tree: slots and paths are scheduled, not the paths of one permutation
  std::string preload;       // a file of fixed slots; "": none
  std::uint32_t steps = 0;   // 0: the default of each algorithm

  bool demand = false;
  Time reconfiguration{};
  bool partial = false;
  BitRate link_rate = 10'000'000'000;
  double packet_plane = 0;

  std::string output;  // a new file for the schedule; "": none
};

inline constexpr std::uint32_t kMostCrossbarPorts = 16'384;  // a matrix of N x N bits is then 32 MiB

/// "crossbar:NODES" or "fattree:L,W,M".
std::string network_name(const ScheduleOptions& options, std::uint32_t nodes);

/// Reads "crossbar:N" or "fattree:L,W[,M]" into `options`. Throws UserError for anything else and for trees
/// that are too large.
void set_network(std::string_view text, ScheduleOptions& options);

/// The options in two tables, requests and scheduling; `options` must outlive every use of them.
void add_request_options(OptionTable& table, ScheduleOptions& options);
void add_scheduling_options(OptionTable& table, ScheduleOptions& options);

/// The names of the options for generated sets only, and for demands only.
const std::vector<std::string>& options_of_generated_sets();
const std::vector<std::string>& options_of_demands();

}  // namespace hybrid
