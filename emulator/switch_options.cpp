// The options of a switch: one for each parameter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/derived_settings.h"
#include "emulator/fabric.h"
#include "emulator/network_shape.h"
#include "emulator/parameters.h"
#include "emulator/presets/preset.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

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
  void rate(const char* name, const char* help, BitRate& r, std::function<void()> after) {
    add(name, "RATE", help, format_rate(r), [&r, name, after = std::move(after)](std::string_view v) {
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
  /// `after_latency` may be empty.
  void clock(const std::string& component, const std::string& what, Clocked& c, std::function<void()> after,
             std::function<void()> after_latency = {}) {
    const std::string cycle = component + "-cycle", latency = component + "-latency";
    add(cycle, "TIME", "clock cycle of " + what, to_string(c.cycle),
        [&c, cycle, after = std::move(after)](std::string_view v) {
          c.cycle = parse_time(v, cycle);
          after();
        });
    add(latency, "N", "cycles from input to output of " + what, std::to_string(c.latency),
        [&c, latency, after_latency = std::move(after_latency)](std::string_view v) {
          c.latency = static_cast<std::uint32_t>(parse_count(v, latency, kMostCycles));
          if (after_latency) after_latency();
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
  /// One of two values: `yes` is stored as true, `no` as false.
  void choice(const char* name, const char* yes, const char* no, const char* help, bool& b) {
    add(name, std::string(yes) + "|" + no, help, b ? yes : no, [&b, name, yes, no](std::string_view v) {
      if (v != yes && v != no)
        throw UserError(std::string(name) + ": unknown value '" + std::string(v) + "'",
                        "Give " + std::string(yes) + " or " + no + ".");
      b = v == yes;
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

double parse_packet_plane(std::string_view text) {
  if (const auto share = read_share(text)) return *share;
  throw UserError("packet-plane: '" + std::string(text) + "' is not a share of a link",
                  "Give a number from 0 (no packet plane) to 1, such as 0.1, or a percentage, such as 10%.");
}

double parse_confidence(std::string_view text) {
  if (const auto confidence = read_number(text); confidence && *confidence >= 0 && *confidence <= 1)
    return *confidence;
  throw UserError("predictor-confidence: '" + std::string(text) + "' is not a confidence",
                  "Give a number from 0 (request every predicted connection) to 1 (only certain ones).");
}

/// The divisor of "table5.3/D"; 0 for "cycles".
std::uint32_t parse_scheduler_delay(std::string_view text) {
  static constexpr std::string_view kTable = "table5.3";
  if (text == "cycles") return 0;
  if (text == kTable) return 1;
  if (text.starts_with("table5.3/"))
    if (const auto by = parse_count(text.substr(kTable.size() + 1), "scheduler-delay table5.3/D", 100);
        by != 0)
      return static_cast<std::uint32_t>(by);
  throw UserError("scheduler-delay: unknown value '" + std::string(text) + "'",
                  "Give table5.3, table5.3/5 (an ASIC) or cycles.");
}

}  // namespace

void add_switch_options(OptionTable& table, SwitchParameters& p) {
  Adder add(table);
  const auto given = std::make_shared<GivenSettings>();
  given->followers = {{"word-generation", &p.word_generation, true},
                      {"nic-cycle", &p.nic.cycle},
                      {"serialise", &p.serialise},
                      {"deserialise", &p.deserialise},
                      {"scheduler-cycle", &p.scheduler.cycle},
                      {"digital-fabric-cycle", &p.digital_fabric.cycle, true},
                      {"analog-fabric-cycle", &p.analog_fabric.cycle}};
  given->begin(p);
  const auto nodes_set = [&p, given] {
    given->nodes = true;
    follow_scheduler_table(p);
    if (!given->every_destination || p.nodes < 2) return;
    const SwitchParameters before = p;
    preload_every_destination(p);
    if (given->slots) p.slots = before.slots;
    if (given->preload) p.preload = before.preload;
  };

  const auto derive = [&p, given] { derive_settings(*given, p); };
  const auto gives = [&p, given](std::string_view option) {
    return [&p, given, option] {
      given->give(option);
      derive_settings(*given, p);
    };
  };

  add.named("technique", "technique", "how the switch carries messages", p.technique);
  add.count("nodes", "ports of the switch", p.nodes, kMostNodes, [&p, nodes_set, given] {
    given->number_of_nodes = p.nodes;
    if (given->crossbar != 0 && given->crossbar != p.nodes) refuse_nodes(p, p.nodes, given->crossbar);
    nodes_set();
  });
  add.add(
      "network", std::string(kNetworkForms),
      "one crossbar of N ports, or a fat tree: L levels of switches, W ports up, M (or W) down, M^L nodes",
      p.is_tree() ? network_text(p) : "", [&p, nodes_set, derive, given](std::string_view v) {
        set_network(v, p);
        if (given->number_of_nodes != 0 && given->number_of_nodes != p.nodes)
          refuse_nodes(p, given->number_of_nodes, p.nodes);
        given->crossbar = p.is_tree() ? 0 : p.nodes;
        // Not every allocation can run on a tree: select one that can, unless one was given.
        if (p.is_tree() && !given->allocation && !runs_on_fat_trees("allocation", p.allocation))
          p.allocation = "ses";
        nodes_set();
        derive();
      });
  add.choice("tree-turn", "top", "ancestor",
             "fat trees: circuits turn at the top level, or at the lowest switch above both nodes",
             p.tree.turns_at_top);
  add.add(
      "preset", "NAME",
      "parameters of a chapter of the dissertation or of a switch of today (`hybrid list preset`, "
      "docs/presets.md); options given by flag, variable or file replace its values",
      "",
      [&p, given](std::string_view v) {
        check_registered("preset", Preset::kKind, v);
        apply_preset(v, p, given->nodes);
        given->begin(p);
        given->every_destination = PresetRegistration::make(v)->slot_per_destination;
      },
      true);

  add.add(
      "model", "dissertation|ours",
      "the dissertation's switch, or ours: sets preload-path, tree-turn, worm-headers, sla-share, the "
      "conversions of preset ch8, and mesh-edge, random-hits and phase-barrier of the traffic",
      p.dissertation ? "dissertation" : "ours",
      [&p](std::string_view v) {
        if (v != "dissertation" && v != "ours")
          throw UserError("model: unknown value '" + std::string(v) + "'", "Give dissertation or ours.");
        use_model(v == "dissertation", p);
      },
      true);

  add.count("slots", "K, predictive slots of the TDM cycle", p.slots, kMostSlots,
            [given] { given->slots = true; });
  add.count("preload", "slots that are preloaded with the known connections", p.preload, kMostSlots,
            [given] { given->preload = true; });
  add.choice("preload-path", "direct", "scheduler",
             "preloads are in the switch when they arrive there (D 3.4.1), or after a pass of the scheduler",
             p.preload_is_direct);
  add.named("allocation", "allocation", "how the TDM cycle is shared", p.allocation, [given, derive] {
    given->allocation = true;
    derive();
  });
  add.add("fabric", names_of(FabricTechnology::kKind),
          "technology of the analog fabric: sets the three parts of its reconfiguration and, unless "
          "--slot-length is given, slots at least ten times as long as guard and reconfiguration; with "
          "allocation held as ten guards and a hundredth of the reconfiguration",
          "", [&p, given](std::string_view v) {
            check_registered("fabric", "fabric", v);
            given->fabric = true;
            apply_fabric(v, p);
            derive_settings(*given, p);
          });
  add.time("slot-length", "length of a TDM slot", p.slot_length, [given] { given->slot_length = true; });
  add.time("wormhole-slot-length",
           "allocation sla: length of the wormhole slot S_W; 0: follows the measured ratio of traffic",
           p.wormhole_slot_length);
  add.choice(
      "sla-share", "time", "data",
      "allocation sla, measured ratio: S_W has the share of the time that its traffic needs, as the switch "
      "measures it (D 4.4), or its share of the data",
      p.sla_shares_time);
  add.time("guard", "unusable time at the start of each slot", p.guard, derive);
  add.time("reconfiguration",
           "time in which the analog fabric changes its configuration, as one time instead of three parts",
           p.reconfiguration, [&p, given, derive] {
             p.reconfiguration_given = true;
             if (!given->fabric && !given->parts)  // those of a preset
               p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock = Time{};
             derive();
           });
  const auto part = [given, derive] {
    given->parts = true;
    derive();
  };
  add.time("reconfiguration-command",
           "first part of the reconfiguration: the controller accepts the new configuration",
           p.reconfiguration_command, part);
  add.time("reconfiguration-switching", "second part of the reconfiguration: the fabric changes",
           p.reconfiguration_switching, part);
  add.time("reconfiguration-lock", "third part of the reconfiguration: receivers lock to new senders",
           p.reconfiguration_lock, part);
  add.add("scheduler", joined_names(names_in_the_loop(false), "|"),
          "grants circuits, one slot a pass; on a fat tree: " + joined_names(names_in_the_loop(true), ", ") +
              "; in hardware: serial:DEVICE or, by Verilator, rtl:NAME",
          p.scheduler_name, [&p](std::string_view v) {
            check_registered("scheduler", "scheduler", v);
            p.scheduler_name = v;
          });
  add.count("scheduler-steps",
            "matching: longest augmenting path K; islip, pim: iterations of a pass; 0: 9 and log2 N",
            p.scheduler_steps, ~std::uint32_t{0});
  add.add(
      "packet-plane", "SHARE",
      "hybrid: share of the link's rate for worms on a digital fabric of their own; 0: worms pass the analog "
      "fabric",
      share_text(p.packet_plane), [&p](std::string_view v) { p.packet_plane = parse_packet_plane(v); });
  add.choice("misses", "worms", "circuit",
             "hybrid: a message without a circuit waits for one if that is faster than worms, or always "
             "travels as worms",
             p.misses_use_worms);
  add.choice(
      "eviction", "at-once", "patient",
      "a request for waiting data that finds no room releases an idle circuit at once, or after two TDM "
      "cycles",
      p.evicts_at_once);
  add.choice(
      "demand-guard", "on", "off",
      "a circuit that blocks waiting data is released after two TDM cycles without use, or only by the "
      "predictors",
      p.demand_guard);
  add.choice("slots-per-pass", "all", "one",
             "slots that one pass of the scheduler fills; all: K schedulers in a row within one cycle",
             p.pass_fills_all_slots);
  add.count("request-width",
            "circuit: most requests of a NIC without a grant, further destinations wait; 0: any number",
            p.request_width, kMostNodes);
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
  add.choice(
      "buffer-scope", "nic", "queue",
      "what --buffer is the size of: each queue, or all queues of a NIC (and of a switch input) together; a "
      "NIC's queues for circuits then share their places",
      p.buffer_is_shared);
  add.bytes("input-buffer",
            "size of a switch input's wormhole queue VQ_W, if --buffer is limited; 0: as --buffer gives it",
            p.input_buffer);
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
  add.choice(
      "worm-headers", "nic", "pe",
      "the NIC makes header and tail words in no time (D 8.4.1), or the PE hands them over like others",
      p.nic_makes_headers);
  add.choice("worm-lookahead", "on", "off",
             "a worm is granted while the one before it leaves, so that its setup takes no time on the link",
             p.worm_lookahead);

  add.add("circuit-share", "SHARE", "wave, coll, chen-liu: share of each link for circuits",
          share_text(p.circuit_share), [&p](std::string_view v) { p.circuit_share = parse_share(v); });
  add.count("circuit-channels", "wave: number of switches with equal parts of the circuits' share",
            p.circuit_channels, kMostChannels);
  add.bytes("split-size", "wave, coll, chen-liu: messages of this size or larger request a circuit",
            p.split_size);

  add.time("word-generation", "time in which a PE hands one word to its NIC", p.word_generation,
           gives("word-generation"));
  add.clock("nic", "a network interface card", p.nic, gives("nic-cycle"));
  add.time("serialise", "parallel-to-serial conversion", p.serialise, gives("serialise"));
  add.time("cable", "one way through the cable", p.cable, derive);
  add.time("deserialise", "serial-to-parallel conversion", p.deserialise, gives("deserialise"));
  add.rate("link-rate",
           "peak rate of a link; word generation, clock cycles, conversions and slots scale with it, each "
           "unless it is given (docs/timing.md)",
           p.link_rate, [given, derive] {
             given->link_rate = true;
             derive();
           });
  add.clock("scheduler", "the scheduler", p.scheduler, gives("scheduler-cycle"), [given, derive] {
    given->scheduler_latency = true;
    derive();
  });
  add.add(
      "scheduler-delay", "table5.3[/D]|cycles",
      "the scheduler's delay: D Table 5.3 by the number of nodes, divided by D (5 to 10 for an ASIC), or "
      "cycle and latency",
      p.scheduler_table_divisor == 0 ? "cycles" : fmt::format("table5.3/{}", p.scheduler_table_divisor),
      [&p, given, derive](std::string_view v) {
        p.scheduler_table_divisor = parse_scheduler_delay(v);
        if (p.scheduler_table_divisor == 0 && !given->gave("scheduler-cycle") && !given->scheduler_latency)
          p.scheduler = given->own_scheduler;
        derive();
      });
  add.clock("digital-fabric", "the digital fabric (wormhole)", p.digital_fabric,
            gives("digital-fabric-cycle"));
  add.clock("analog-fabric", "the analog fabric (circuits)", p.analog_fabric, gives("analog-fabric-cycle"));
  add.add("seed", "N", "seed of all random numbers", std::to_string(p.seed),
          [&p](std::string_view v) { p.seed = parse_count(v, "seed"); });
}

}  // namespace hybrid
