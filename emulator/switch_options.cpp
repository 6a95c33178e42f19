// The options of a switch: one for each parameter.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/fabric.h"
#include "emulator/network_shape.h"
#include "emulator/parameters.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

/// The options that were given explicitly. Other settings are derived from these until they are given, too.
struct Given {
  bool nodes = false, slots = false, preload = false, slot_length = false, allocation = false;
  bool fabric = false, link_rate = false, word_generation = false;
  bool every_destination = false;     // preset ch8: slots follow nodes
  std::uint32_t number_of_nodes = 0;  // from --nodes
  std::uint32_t crossbar = 0;         // ports, from --network
  // The values before any was derived.
  Time own_slot_length{}, own_word_generation{};
};

/// Derives the slot length from the fabric's guard and reconfiguration, and the word generation from the link
/// rate, unless they were given. Called after each change, so that the order of options does not matter.
void derive_settings(const Given& given, SwitchParameters& p) {
  if (given.fabric && !given.slot_length)
    p.slot_length = std::max(given.own_slot_length, least_slot_length(p));
  if (given.link_rate && !given.word_generation) {
    p.word_generation = given.own_word_generation;
    // A rate or a word of 0 is refused later, with the option's name.
    if (p.link_rate != 0 && p.word != 0) p.word_generation = std::min(p.word_generation, p.word_time());
  }
}

/// "ses|sla|..."
std::string names_of(std::string_view kind) {
  std::string names;
  for (std::string_view k : registered_names(kind)) names += (names.empty() ? "" : "|") + std::string(k);
  return names;
}

std::string joined_names(const std::vector<std::string_view>& names, const char* between) {
  std::string all;
  for (std::string_view name : names) all += (all.empty() ? "" : between) + std::string(name);
  return all;
}

class Adder {
 public:
  Adder(OptionTable& table) : table_(table) {}

  void time(const char* name, const char* help, Time& t, std::function<void()> after = {}) {
    add(name, "TIME", help, to_string(t), [&t, name, after = std::move(after)](std::string_view v) {
      t = parse_time(v, name);
      if (after) after();
    });
  }
  void bytes(const char* name, const char* help, Bytes& b, std::function<void()> after = {}) {
    add(name, "BYTES", help, b == kUnlimited ? "unlimited" : std::to_string(b),
        [&b, name, after = std::move(after)](std::string_view v) {
          b = parse_bytes(v, name);
          if (after) after();
        });
  }
  void rate(const char* name, const char* help, BitRate& r, std::function<void()> before,
            std::function<void()> after) {
    add(name, "RATE", help, format_rate(r),
        [&r, name, before = std::move(before), after = std::move(after)](std::string_view v) {
          before();
          r = parse_rate(v, name);
          after();
        });
  }
  void count(const char* name, const char* help, std::uint32_t& n, std::uint32_t most,
             std::function<void()> after = {}) {
    add(name, "N", help, std::to_string(n), [&n, name, most, after = std::move(after)](std::string_view v) {
      n = static_cast<std::uint32_t>(parse_count(v, name, most));
      if (after) after();
    });
  }
  void clock(const std::string& component, const std::string& what, Clocked& c) {
    const std::string cycle = component + "-cycle", latency = component + "-latency";
    add(cycle, "TIME", "clock cycle of " + what, to_string(c.cycle),
        [&c, cycle](std::string_view v) { c.cycle = parse_time(v, cycle); });
    add(latency, "N", "cycles from input to output of " + what, std::to_string(c.latency),
        [&c, latency](std::string_view v) {
          c.latency = static_cast<std::uint32_t>(parse_count(v, latency, kMostCycles));
        });
  }
  /// The name of a registered object; an unknown name is refused at once.
  void named(const char* name, const char* kind, const char* help, std::string& s,
             std::function<void()> after = {}) {
    add(name, names_of(kind), help, s, [&s, name, kind, after = std::move(after)](std::string_view v) {
      check_registered(name, kind, v);
      s = v;
      if (after) after();
    });
  }
  void add(std::string name, std::string value, std::string help, std::string default_text,
           std::function<void(std::string_view)> set, bool first = false) {
    table_.add(
        {std::move(name), std::move(value), std::move(help), std::move(default_text), std::move(set), first});
  }

 private:
  OptionTable& table_;
};

std::string share_text(double share) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), share, std::chars_format::fixed);
  return error == std::errc{} ? std::string(text.data(), end) : std::string{};
}

double parse_share(std::string_view text) {
  if (const auto share = read_number(text); share && *share > 0 && *share < 1) return *share;
  throw UserError("circuit-share: '" + std::string(text) + "' is not a share of a link",
                  "Give a number between 0 and 1, such as 0.5.");
}

double parse_confidence(std::string_view text) {
  if (const auto confidence = read_number(text); confidence && *confidence >= 0 && *confidence <= 1)
    return *confidence;
  throw UserError("predictor-confidence: '" + std::string(text) + "' is not a confidence",
                  "Give a number from 0 (request every predicted connection) to 1 (only certain ones).");
}

}  // namespace

void add_switch_options(OptionTable& table, SwitchParameters& p) {
  Adder add(table);
  const auto given = std::make_shared<Given>();
  const auto nodes_set = [&p, given] {
    given->nodes = true;
    if (!given->every_destination || p.nodes < 2) return;
    const SwitchParameters before = p;
    preload_every_destination(p);
    if (given->slots) p.slots = before.slots;
    if (given->preload) p.preload = before.preload;
  };

  const auto derive = [&p, given] { derive_settings(*given, p); };

  add.named("technique", "technique", "how the switch carries messages", p.technique);
  add.count("nodes", "ports of the switch", p.nodes, kMostNodes, [&p, nodes_set, given] {
    given->number_of_nodes = p.nodes;
    if (given->crossbar != 0 && given->crossbar != p.nodes) refuse_nodes(p, p.nodes, given->crossbar);
    nodes_set();
  });
  add.add(
      "network", std::string(kNetworkForms),
      "one crossbar of N ports, or a fat tree: L levels of switches, W ports up, M (or W) down, M^L nodes",
      p.is_tree() ? network_text(p) : "", [&p, nodes_set, given](std::string_view v) {
        set_network(v, p);
        if (given->number_of_nodes != 0 && given->number_of_nodes != p.nodes)
          refuse_nodes(p, given->number_of_nodes, p.nodes);
        given->crossbar = p.is_tree() ? 0 : p.nodes;
        // Not every allocation can run on a tree: select one that can, unless one was given.
        if (p.is_tree() && !given->allocation) p.allocation = "ses";
        nodes_set();
      });
  add.add(
      "preset", "ch4|ch5|ch8",
      "the dissertation's parameter sets; options given by flag, variable or file replace their values", "",
      [&p, given](std::string_view v) {
        apply_preset(v, p, given->nodes);
        given->slots = given->preload = given->slot_length = false;
        given->fabric = given->link_rate = given->word_generation = false;
        given->every_destination = v == "ch8";
      },
      true);

  add.count("slots", "K, predictive slots of the TDM cycle", p.slots, kMostSlots,
            [given] { given->slots = true; });
  add.count("preload", "slots that are preloaded with the known connections", p.preload, kMostSlots,
            [given] { given->preload = true; });
  add.named("allocation", "allocation", "how the TDM cycle is shared", p.allocation,
            [given] { given->allocation = true; });
  add.add("fabric", names_of(FabricTechnology::kKind),
          "technology of the analog fabric: sets the three parts of its reconfiguration and, unless "
          "--slot-length is given, slots at least ten times as long as guard and reconfiguration",
          "", [&p, given](std::string_view v) {
            check_registered("fabric", "fabric", v);
            if (!given->fabric) given->own_slot_length = p.slot_length;
            given->fabric = true;
            apply_fabric(v, p);
            derive_settings(*given, p);
          });
  add.time("slot-length", "length of a TDM slot", p.slot_length, [given] { given->slot_length = true; });
  add.time("wormhole-slot-length",
           "allocation sla: length of the wormhole slot S_W; 0: follows the measured ratio of traffic",
           p.wormhole_slot_length);
  add.time("guard", "unusable time at the start of each slot", p.guard, derive);
  add.time("reconfiguration",
           "time in which the analog fabric changes its configuration, as one time instead of three parts",
           p.reconfiguration, [&p, derive] {
             p.reconfiguration_given = true;
             derive();
           });
  add.time("reconfiguration-command",
           "first part of the reconfiguration: the controller accepts the new configuration",
           p.reconfiguration_command, derive);
  add.time("reconfiguration-switching", "second part of the reconfiguration: the fabric changes",
           p.reconfiguration_switching, derive);
  add.time("reconfiguration-lock", "third part of the reconfiguration: receivers lock to new senders",
           p.reconfiguration_lock, derive);
  add.add("scheduler", joined_names(names_in_the_loop(false), "|"),
          "grants circuits, one slot a pass; on a fat tree: " + joined_names(names_in_the_loop(true), ", "),
          p.scheduler_name, [&p](std::string_view v) {
            check_registered("scheduler", "scheduler", v);
            p.scheduler_name = v;
          });
  add.count("scheduler-steps",
            "matching: longest augmenting path K; islip, pim: iterations of a pass; 0: 9 and log2 N",
            p.scheduler_steps, ~std::uint32_t{0});
  add.named("predictor", "predictor", "requests and releases circuits", p.predictor);
  add.time("predictor-timeout", "time-out predictor: releases a connection that is unused for this long",
           p.predictor_timeout);
  add.time("predictor-pause",
           "time-out predictor: most of an interval without sends that counts as unused time; 0: all of it",
           p.predictor_pause);
  add.count("predictor-threshold",
            "counter predictor: releases a connection after this many sends to other destinations",
            p.predictor_threshold, ~std::uint32_t{0});
  add.count("predictor-order", "markov: number of destinations remembered", p.predictor_order, 8);
  add.count("predictor-ahead", "predictors that request ahead: most destinations requested after each send",
            p.predictor_ahead, 8);
  add.add("predictor-confidence", "SHARE",
          "predictors that request ahead: least probability of a requested destination, 0 to 1",
          share_text(p.predictor_confidence),
          [&p](std::string_view v) { p.predictor_confidence = parse_confidence(v); });

  add.bytes("buffer", "size of each NIC queue and of a switch input's wormhole queue", p.buffer);
  add.add("input-queues", "per-destination|fifo",
          "wormhole queues of a switch input: one per destination, or one FIFO (head-of-line blocking)",
          p.input_queues, [&p](std::string_view v) {
            check_input_queues(v);
            p.input_queues = v;
          });
  add.bytes("word", "unit of data generation and transfer", p.word, derive);
  add.bytes("flit", "unit of wormhole flow control", p.flit);
  add.bytes("worm-limit", "payload of one worm", p.worm_limit);
  add.count("worm-overhead", "header and tail words that travel with each worm", p.worm_overhead_words, 1024);

  add.add("circuit-share", "SHARE", "wave, coll, chen-liu: share of each link for circuits",
          share_text(p.circuit_share), [&p](std::string_view v) { p.circuit_share = parse_share(v); });
  add.count("circuit-channels", "wave: number of switches with equal parts of the circuits' share",
            p.circuit_channels, kMostChannels);
  add.bytes("split-size", "wave, coll, chen-liu: messages of this size or larger request a circuit",
            p.split_size);

  add.time(
      "word-generation",
      "time in which a PE hands one word to its NIC; if only --link-rate is given: at most the time of a "
      "word on the link",
      p.word_generation, [given] { given->word_generation = true; });
  add.clock("nic", "a network interface card", p.nic);
  add.time("serialise", "parallel-to-serial conversion", p.serialise);
  add.time("cable", "one way through the cable", p.cable);
  add.time("deserialise", "serial-to-parallel conversion", p.deserialise);
  add.rate(
      "link-rate",
      "peak rate of a link; PEs generate words at least at this rate unless --word-generation is given",
      p.link_rate,
      [&p, given] {
        if (!given->link_rate) given->own_word_generation = p.word_generation;
        given->link_rate = true;
      },
      derive);
  add.clock("scheduler", "the scheduler", p.scheduler);
  add.clock("digital-fabric", "the digital fabric (wormhole)", p.digital_fabric);
  add.clock("analog-fabric", "the analog fabric (circuits)", p.analog_fabric);
  add.add("seed", "N", "seed of all random numbers", std::to_string(p.seed),
          [&p](std::string_view v) { p.seed = parse_count(v, "seed"); });
}

}  // namespace hybrid
