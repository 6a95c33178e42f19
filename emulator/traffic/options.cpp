#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/traffic/exchange.h"
#include "emulator/traffic/simulate.h"
#include "emulator/traffic/topology_map.h"

namespace hybrid {

namespace {

constexpr Bytes kLargestMessage = Bytes{1} << 40;
constexpr std::uint64_t kMostMessages = 1'000'000'000;

double parse_share(std::string_view option, std::string_view text, std::string_view of_what,
                   std::string_view fix) {
  if (const auto share = read_number(text); share && *share >= 0 && *share <= 1) return *share;
  throw UserError(
      std::string(option) + ": '" + std::string(text) + "' is not a share of " + std::string(of_what),
      std::string(fix));
}

/// "60,40": returns the share of the first, 0.6.
double parse_specific_shares(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    const auto first = read_number(text.substr(0, comma)), second = read_number(text.substr(comma + 1));
    if (first && second && *first > 0 && *second > 0 && std::abs(*first + *second - 100) < 1e-9)
      return *first / 100;
  }
  throw UserError("specific-shares: '" + std::string(text) + "' are not the shares of two destinations",
                  "Give two numbers above 0 with the sum 100, such as 60,40.");
}

/// "4,10"; "0,0": none.
SpecificTurns parse_specific_turns(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto first = text.substr(0, comma),
             second = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  const SpecificTurns turns{static_cast<std::uint32_t>(parse_count(
                                first, "specific-turns", std::numeric_limits<std::uint32_t>::max())),
                            parse_count(second, "specific-turns")};
  if ((turns.destinations == 0) != (turns.messages == 0))
    throw UserError("specific-turns: '" + std::string(text) + "' has a number of 0",
                    "Give destinations and messages in a turn, such as 4,10, or 0,0 for no turns.");
  return turns;
}

}  // namespace

void use_model(bool dissertation, TrafficOptions& o) {
  o.torus = dissertation;               // D 5.5.2.1: "4 destinations were used per processor"
  o.random_avoids_mesh = dissertation;  // D 4.6.1: the predictable ratio is the mesh's share of the data
  o.phase_barrier = dissertation;  // D 4.6.2: "not mixed with ordered mesh traffic, but in its own phase"
}

void add_traffic_options(OptionTable& table, TrafficOptions& o) {
  const auto names_of = [](std::string_view kind) {
    std::string names;
    for (std::string_view name : registered_names(kind))
      names += (names.empty() ? "" : "|") + std::string(name);
    return names;
  };
  table.add({"pattern", names_of("pattern"), "the destinations of the messages", o.pattern,
             [&o](std::string_view v) {
               check_registered("pattern", "pattern", v);
               o.pattern = v;
             }});
  table.add({"message", "BYTES", "payload of each message", std::to_string(o.message),
             [&o](std::string_view v) { o.message = parse_limited_bytes(v, "message"); }});
  table.add({"messages", "N", "messages per sending node (meshes: rounds); 0: the pattern's default",
             std::to_string(o.messages),
             [&o](std::string_view v) { o.messages = parse_count(v, "messages"); }});
  table.add({"load", "SHARE",
             "open loop: load offered by each sending node, as a share of the link's rate; 0: closed loop",
             "0", [&o](std::string_view v) {
               o.load = parse_share("load", v, "the link's rate", "Give a number from 0 (closed loop) to 1.");
             }});
  table.add({"ratio", "SHARE",
             "predictable share of the data (patterns mixed, phases) or of the messages (determinism)", "0.5",
             [&o](std::string_view v) {
               o.ratio = parse_share("ratio", v, "the traffic", "Give a number from 0 to 1, such as 0.8.");
             }});
  table.add({"phase-length", "N", "pattern phases: messages per node in one turn of all phases",
             std::to_string(o.phase_length),
             [&o](std::string_view v) { o.phase_length = parse_count(v, "phase-length"); }});
  const auto choice = [&table](const char* name, const char* no, const char* yes, const char* help,
                               bool& value) {
    table.add({name, std::string(no) + "|" + yes, help, no, [=, &value](std::string_view v) {
                 if (v != yes && v != no)
                   throw UserError(std::string(name) + ": unknown value '" + std::string(v) + "'",
                                   "Give " + std::string(no) + " or " + yes + ".");
                 value = v == yes;
               }});
  };
  choice("mesh-edge", "mesh", "torus", "meshes end at their edges, or wrap: four neighbours for every node",
         o.torus);
  choice(
      "mesh-draw", "independent", "permutation",
      "random meshes: each round draws a direction by itself, or rounds take all directions in random order",
      o.permuted_rounds);
  choice("random-hits", "on", "off",
         "patterns mixed, phases: whether random messages may use connections of the mesh",
         o.random_avoids_mesh);
  choice(
      "mixed-draw", "independent", "even",
      "pattern mixed: each message is drawn from either kind by itself, or a node's kinds alternate by the "
      "ratio",
      o.mixes_evenly);
  choice("phase-barrier", "off", "on",
         "patterns phases, two-phase: a phase begins when all messages of the one before are delivered",
         o.phase_barrier);
  table.add({"specific-shares", "A,B",
             "pattern determinism: shares of the two specific destinations, in percent", "50,50",
             [&o](std::string_view v) { o.first_share = parse_specific_shares(v); }});
  table.add({"specific-turns", "D,M",
             "pattern determinism: D specific destinations, used one after the other for M messages each; "
             "preloaded slots follow the turns. 0,0: two destinations, in a random order",
             "0,0", [&o](std::string_view v) { o.specific_turns = parse_specific_turns(v); }});
  table.add({"outstanding", "N",
             "closed loop: limit of a node's messages that are not yet delivered; 0: no limit",
             std::to_string(o.outstanding), [&o](std::string_view v) {
               o.outstanding = static_cast<std::uint32_t>(
                   parse_count(v, "outstanding", std::numeric_limits<std::uint32_t>::max()));
             }});
  table.add({"warmup", "TIME", "start of the measurement of loads and, in open loop, of latencies",
             "a fifth of an open-loop run",
             [&o](std::string_view v) { o.warmup = parse_time(v, "warmup"); }});
  table.add({"hotspot", "SHARE", "pattern hotspot: share of the messages that go to node 0", "0.25",
             [&o](std::string_view v) {
               o.hotspot = parse_share("hotspot", v, "the messages", "Give a number from 0 to 1.");
             }});
  table.add({"exchange", names_of("exchange"),
             "pattern all-to-all: order of the steps, for sends and preloaded configurations", "linear",
             [&o](std::string_view v) {
               check_registered("exchange", "exchange", v);
               o.exchange = v;
             }});
  add_topology_option(table, o.preload_topology);
}

void check(const TrafficOptions& o) {
  check_registered("pattern", "pattern", o.pattern);
  if (o.pattern == "determinism" && o.specific_turns.destinations != 0 && o.first_share != 0.5)
    throw UserError("specific-turns: its destinations have equal shares",
                    "Give either --specific-turns or --specific-shares.");
  if (!o.exchange.empty()) {
    check_registered("exchange", "exchange", o.exchange);
    if (o.pattern != "all-to-all")
      throw UserError("exchange: pattern " + o.pattern + " has no exchange; only all-to-all has one",
                      "Give --pattern all-to-all, or no --exchange.");
    if (o.load > 0 && ExchangeRegistration::make(o.exchange, 2)->forwards())
      throw UserError("exchange: in the " + o.exchange +
                          " exchange nodes forward received data, which open-loop traffic does not support",
                      "Give no --load, or another --exchange.");
  }
  if (!(o.load >= 0 && o.load <= 1))
    throw UserError("load: not a share of the link's rate", "Give a number from 0 (closed loop) to 1.");
  if (o.load > 0 && o.load < 1e-6) throw UserError("load: too small to simulate", "Give at least 0.000001.");
  if (!(o.ratio >= 0 && o.ratio <= 1))
    throw UserError("ratio: not a share of the traffic", "Give a number from 0 to 1.");
  if (o.messages > kMostMessages)
    throw UserError("messages: " + std::to_string(o.messages) + " per node are too many",
                    "Give at most " + std::to_string(kMostMessages) + ".");
  if (o.phase_length == 0)
    throw UserError("phase-length: a turn has at least one message", "Give at least 1.");
  if (o.message > kLargestMessage)
    throw UserError("message: " + format_bytes(o.message) + " are too many",
                    "Give at most " + format_bytes(kLargestMessage) + ".");
  if (o.load > 0 && o.phase_barrier)
    throw UserError("phase-barrier: open-loop traffic does not wait",
                    "Give no --load, or --phase-barrier off.");
  if (o.load > 0 && o.outstanding > 0)
    throw UserError("outstanding: open-loop traffic has no limit of outstanding messages",
                    "Give either --load or --outstanding.");
  if (!(o.hotspot >= 0 && o.hotspot <= 1))
    throw UserError("hotspot: not a share of the messages", "Give a number from 0 to 1.");
}

}  // namespace hybrid
