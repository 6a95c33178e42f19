#include "cli/schedule_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/whole_number.h"
#include "core/error.h"
#include "core/registry.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/topology/fat_tree.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kMostScheduledNodes = 1U << 20;
constexpr std::uint64_t kMostRepeats = 1'000'000;

double parse_number(std::string_view text, std::string_view what, std::string_view fix) {
  if (const auto number = read_number(text)) return *number;
  throw UserError(fmt::format("{}: '{}' is not a number", what, text), std::string(fix));
}

double parse_share(std::string_view text, std::string_view what) {
  if (const auto share = read_share(text)) return *share;
  static constexpr std::string_view kFix = "Give a number from 0 to 1, such as 0.1.";
  parse_number(text, what, kFix);
  throw UserError(fmt::format("{}: {} is no share", what, text), std::string(kFix));
}

bool parse_switch(std::string_view text, std::string_view what) {
  if (text.empty() || text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  throw UserError(fmt::format("{}: '{}' is neither on nor off", what, text), "Give on or off.");
}

void set_tree(std::string_view text, ScheduleOptions& options) {
  const FatTree tree(parse_fat_tree(text));
  if (tree.nodes() < 2 || tree.nodes() > kMostScheduledNodes)
    throw UserError(fmt::format("network: {} has {} node(s), M to the power of L", text, tree.nodes()),
                    fmt::format("Give a tree of 2 to {}.", kMostScheduledNodes));
  options.tree = tree.shape();
  options.tree->turns_at_top = options.tree_turns_at_top;
  options.nodes = tree.nodes();
}

}  // namespace

std::string network_name(const ScheduleOptions& options, std::uint32_t nodes) {
  if (!options.tree) return fmt::format("crossbar:{}", nodes);
  return to_string(*options.tree);
}

void set_network(std::string_view text, ScheduleOptions& options) {
  static constexpr std::string_view kCrossbar = "crossbar:", kTree = "fattree:";
  options.nodes_given = true;
  if (text.starts_with(kTree)) return set_tree(text, options);
  if (!text.starts_with(kCrossbar))
    throw UserError(
        fmt::format("network: '{}' is not a network", text),
        "Give crossbar:N, N ports, or fattree:L,W[,M], L levels of switches with W ports up and M "
        "down.");
  options.tree.reset();
  options.nodes = static_cast<std::uint32_t>(
      parse_whole(text.substr(kCrossbar.size()), "network crossbar:N", 2, kMostCrossbarPorts));
}

void add_request_options(OptionTable& table, ScheduleOptions& o) {
  table.add({"nodes", "N", "ports of a crossbar", "64", [&o](std::string_view v) {
               o.tree.reset();
               o.nodes = static_cast<std::uint32_t>(parse_whole(v, "nodes", 2, kMostCrossbarPorts));
               o.nodes_given = true;
             }});
  table.add({"network", "NETWORK", "crossbar:N or fattree:L,W[,M] (levels, ports up, ports down)", "",
             [&o](std::string_view v) { set_network(v, o); }});
  table.add({"tree-turn", "top|ancestor",
             "fat trees: circuits turn at the top level, or at the lowest switch above both nodes",
             "ancestor", [&o](std::string_view v) {
               if (v != "top" && v != "ancestor")
                 throw UserError(fmt::format("tree-turn: unknown value '{}'", v), "Give top or ancestor.");
               o.tree_turns_at_top = v == "top";
               if (o.tree) o.tree->turns_at_top = o.tree_turns_at_top;
             }});
  table.add({"requests", "FILE", "requests from a JSON or CSV file instead of generated ones", "",
             [&o](std::string_view v) { o.requests = v; }});
  table.add({"pattern", "NAME", "generated sets: see `hybrid list 'request set'`",
             "random; on fat trees permutation", [&o](std::string_view v) {
               check_registered("pattern", RequestFamily::kKind, v);
               o.pattern = v;
             }});
  table.add({"density", "X", "requests of an input, on average", "1", [&o](std::string_view v) {
               o.density = parse_number(v, "density", "Give a number, such as 0.5 or 8.");
             }});
  table.add({"message", "BYTES", "bytes of a request, on average", "1K",
             [&o](std::string_view v) { o.message = parse_limited_bytes(v, "message"); }});
  table.add({"sizes", "equal|random", "whether all requests have as many bytes, or 1 to twice that", "equal",
             [&o](std::string_view v) {
               if (v != "equal" && v != "random")
                 throw UserError(fmt::format("sizes: '{}' is neither equal nor random", v),
                                 "Give equal or random.");
               o.random_sizes = v == "random";
             }});
  table.add({"hotspot", "SHARE", "pattern hotspot: share of the requests that go to port 0", "0.25",
             [&o](std::string_view v) { o.hotspot = parse_share(v, "hotspot"); }});
  table.add({"repeats", "N", "sets to draw",
             "100; of demands 10; with --output, or where nothing is drawn, 1",
             [&o](std::string_view v) { o.repeats = parse_whole(v, "repeats", 1, kMostRepeats); }});
  table.add({"seed", "N", "of the generated sets and of schedulers that draw", "1",
             [&o](std::string_view v) { o.seed = parse_whole(v, "seed", 0, ~std::uint64_t{0}); }});
}

void add_scheduling_options(OptionTable& table, ScheduleOptions& o) {
  table.add({"scheduler", "NAME[,NAME...]", "algorithms to compare: see `hybrid list scheduler`",
             "all that can", [&o](std::string_view v) {
               o.schedulers.clear();
               for (std::string& name : split_list(v, "scheduler"))  // one that is named twice runs once
                 if (std::find(o.schedulers.begin(), o.schedulers.end(), name) == o.schedulers.end())
                   o.schedulers.push_back(std::move(name));
             }});
  table.add(
      {"slots", "K", "slots to fit the requests into; 0: as few as needed", "1", [&o](std::string_view v) {
         o.slots = static_cast<std::uint32_t>(parse_whole(v, "slots", 0, 1U << 20));
         o.slots_given = true;
       }});
  table.add({"preload", "FILE", "slots that are fixed, as --output wrote them; K includes them", "",
             [&o](std::string_view v) { o.preload = v; }});
  table.add({"steps", "N", "iterations of the schedulers that have them", "each one's own",
             [&o](std::string_view v) {
               o.steps = static_cast<std::uint32_t>(parse_whole(v, "steps", 0, 1U << 20));
             }});
  table.add({"demand", "", "drain the bytes through a crossbar whose reconfiguration takes time", "",
             [&o](std::string_view v) { o.demand = parse_switch(v, "demand"); }});
  table.add({"reconfiguration", "TIME", "of the fabric, with --demand", "0",
             [&o](std::string_view v) { o.reconfiguration = parse_time(v, "reconfiguration"); }});
  table.add({"partial", "", "a reconfiguration stops only the connections that change", "",
             [&o](std::string_view v) { o.partial = parse_switch(v, "partial"); }});
  table.add({"link-rate", "RATE", "of each port, with --demand", "10 Gb/s",
             [&o](std::string_view v) { o.link_rate = parse_rate(v, "link-rate"); }});
  table.add({"packet-plane", "SHARE", "share of the link rate of a parallel packet network", "0",
             [&o](std::string_view v) { o.packet_plane = parse_share(v, "packet-plane"); }});
  table.add({"output", "FILE", "new file for the schedule itself, as JSON: one scheduler, one set", "",
             [&o](std::string_view v) { o.output = v; }});
}

const std::vector<std::string>& options_of_generated_sets() {
  static const std::vector<std::string> names{"pattern", "density", "message", "sizes", "hotspot", "repeats"};
  return names;
}

const std::vector<std::string>& options_of_demands() {
  static const std::vector<std::string> names{"reconfiguration", "partial", "link-rate", "packet-plane"};
  return names;
}

}  // namespace hybrid
