#include "emulator/parameters.h"

#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/fabric.h"
#include "emulator/network_shape.h"
#include "emulator/scheduler/algorithm.h"
#include "predictor/counted_holdings.h"
#include "predictor/recency_list.h"

namespace hybrid {

namespace {

static_assert(kMostNodes <= RecencyList::kMostDestinations);
constexpr std::uint32_t kMostSlots = 16'384;
constexpr std::uint32_t kMostCycles = 1'000'000;
constexpr std::uint32_t kMostChannels = 64;
constexpr Time kLongest = nanoseconds(10'000'000'000);  // 10 s: keeps sums far from the end of the range

[[noreturn]] void refuse(std::string_view option, const std::string& problem, const std::string& mend) {
  throw UserError(std::string(option) + ": " + problem, mend);
}

void check_time(std::string_view option, Time t, bool positive) {
  if (positive && t <= Time{}) refuse(option, "must be longer than 0", "Give a time such as 10ns.");
  if (t < Time{}) refuse(option, "must not be negative", "Give 0 or a time such as 10ns.");
  if (t > kLongest)
    refuse(option, to_string(t) + " is too long", "Give at most " + to_string(kLongest) + ".");
}

void check_clock(std::string_view component, const Clocked& clock) {
  check_time(std::string(component) + "-cycle", clock.cycle, true);
  if (clock.latency > kMostCycles)
    refuse(std::string(component) + "-latency", std::to_string(clock.latency) + " cycles are too many",
           "Give at most " + std::to_string(kMostCycles) + ".");
}

void check_sizes(const SwitchParameters& p) {
  if (p.link_rate == 0) refuse("link-rate", "must be more than 0", "Give a rate such as 6.4Gb/s.");
  if (p.word == 0) refuse("word", "must be at least 1 byte", "The usual word is 8 bytes.");
  if (p.flit == 0 || p.flit % p.word != 0)
    refuse("flit", format_bytes(p.flit) + " is not a whole number of words of " + format_bytes(p.word),
           "Give a multiple of --word.");
  if (p.worm_limit < p.flit)
    refuse("worm-limit", format_bytes(p.worm_limit) + " is less than one flit of " + format_bytes(p.flit),
           "Give at least one flit, or smaller --flit.");
  if (p.buffer < p.flit)
    refuse("buffer", format_bytes(p.buffer) + " does not hold one flit of " + format_bytes(p.flit),
           "Give at least one flit, such as 128, or 'unlimited'.");
  const Bytes packet = std::max<Bytes>(1, p.worm_limit / p.word) + p.worm_overhead_words;
  if (p.technique == "packet" && p.buffer / p.word < packet)
    refuse("buffer",
           format_bytes(p.buffer) + " does not hold one packet of " + format_bytes(packet * p.word) +
               ", so that store and forward would never forward",
           "Give a larger --buffer, or a smaller --worm-limit.");
}

/// Links split between worms and circuits.
void check_split(const SwitchParameters& p) {
  if (!(p.circuit_share > 0 && p.circuit_share < 1))
    refuse("circuit-share", "must leave something to circuits and to worms",
           "Give a number between 0 and 1, such as 0.5; for one kind alone use --technique wormhole or "
           "circuit.");
  if (p.circuit_channels == 0 || p.circuit_channels > kMostChannels)
    refuse("circuit-channels", std::to_string(p.circuit_channels) + " switches for circuits cannot be",
           "Give 1 to " + std::to_string(kMostChannels) + ".");
  const SplitRates rates = split_rates(p);
  if (time_on_link(p.word, rates.channel) > kLongest || time_on_link(p.word, rates.worms) > kLongest)
    refuse("circuit-share",
           "leaves so little of the link that one word takes longer than " + to_string(kLongest),
           "Give a share nearer to 0.5, a higher --link-rate, or fewer --circuit-channels.");
}

void check_reconfiguration(const SwitchParameters& p) {
  check_time("reconfiguration", p.reconfiguration, false);
  check_time("reconfiguration-command", p.reconfiguration_command, false);
  check_time("reconfiguration-switching", p.reconfiguration_switching, false);
  check_time("reconfiguration-lock", p.reconfiguration_lock, false);
  const Time parts = p.reconfiguration_parts();
  if (p.reconfiguration != Time{} && parts != Time{} && p.reconfiguration != parts)
    refuse("reconfiguration",
           to_string(p.reconfiguration) + ", but its parts are " + to_string(parts) + " together (command " +
               to_string(p.reconfiguration_command) + ", switching " +
               to_string(p.reconfiguration_switching) + ", lock " + to_string(p.reconfiguration_lock) + ")",
           "Give either --reconfiguration or its parts, which --fabric sets too.");
}

void check_multiplexing(const SwitchParameters& p) {
  if (p.slots == 0)
    refuse("slots", "a TDM cycle of K = 0 slots carries nothing",
           "Give at least 1; for no circuits use "
           "--technique wormhole.");
  if (p.slots > kMostSlots)
    refuse("slots", std::to_string(p.slots) + " are too many",
           "Give at most " + std::to_string(kMostSlots) + ".");
  if (p.preload > p.slots)
    refuse("preload",
           std::to_string(p.preload) + " preloaded slots, but only " + std::to_string(p.slots) + " in all",
           "Give at most --slots.");
  const bool slotted = p.technique == "tdm" || p.technique == "hybrid";
  const Time spread = slotted ? p.circuit_spread() : Time{};
  const Time unusable = p.guard + p.reconfiguration_time() + spread;
  const std::string lost = spread == Time{} ? "guard and reconfiguration"
                                            : "guard, reconfiguration and the difference between the "
                                              "tree's longest and shortest circuits";
  if (p.wormhole_slot_length != Time{} && p.wormhole_slot_length - unusable < p.word_time())
    refuse("wormhole-slot-length",
           to_string(p.wormhole_slot_length) + " leaves no time for one word of " + to_string(p.word_time()) +
               " after " + lost + " (" + to_string(unusable) + ")",
           "Give a longer one, or 0 to follow the measured ratio of traffic.");
  if (p.slot_length <= unusable)
    refuse("slot-length",
           to_string(p.slot_length) + " is not longer than " + lost + " together (" + to_string(unusable) +
               "), so that nothing could be sent",
           "Give a longer --slot-length, or a shorter --guard or --reconfiguration.");
  if (p.slot_length - unusable < p.word_time())
    refuse("slot-length",
           to_string(p.slot_length) + " leaves " + to_string(p.slot_length - unusable) + " after " + lost +
               ", but one word takes " + to_string(p.word_time()),
           "Give a longer --slot-length, a shorter --guard or --reconfiguration, or a higher --link-rate.");
}

}  // namespace

SplitRates split_rates(const SwitchParameters& p) {
  const auto rate = static_cast<double>(p.link_rate);
  const auto circuits = static_cast<BitRate>(rate * p.circuit_share);
  return {std::max<BitRate>(1, p.link_rate - std::min(circuits, p.link_rate)),
          std::max<BitRate>(1, circuits / std::max(1u, p.circuit_channels))};
}

void check_registered(std::string_view option, std::string_view kind, std::string_view name) {
  const auto known = registered_names(kind);
  std::string list;
  for (std::string_view k : known) {
    if (k == name) return;
    list += (list.empty() ? "" : ", ") + std::string(k);
  }
  const std::string_view meant = likely_meant(name, known);
  refuse(option, "unknown " + std::string(kind) + " '" + std::string(name) + "'; expected one of: " + list,
         meant.empty() ? "" : "Did you mean '" + std::string(meant) + "'?");
}

void check(const SwitchParameters& p) {
  if (p.nodes < 2)
    refuse("nodes", std::to_string(p.nodes) + (p.nodes == 1 ? " port" : " ports") + " make no switch",
           "Give at least 2.");
  if (p.nodes > kMostNodes)
    refuse("nodes", std::to_string(p.nodes) + " are too many",
           "Give at most " + std::to_string(kMostNodes) + ".");

  check_network(p);

  check_time("word-generation", p.word_generation, true);
  check_time("serialise", p.serialise, false);
  check_time("cable", p.cable, false);
  check_time("deserialise", p.deserialise, false);
  check_reconfiguration(p);
  check_time("slot-length", p.slot_length, true);
  check_time("wormhole-slot-length", p.wormhole_slot_length, false);
  check_time("guard", p.guard, false);
  check_clock("nic", p.nic);
  check_clock("scheduler", p.scheduler);
  check_clock("digital-fabric", p.digital_fabric);
  check_clock("analog-fabric", p.analog_fabric);
  check_sizes(p);
  check_split(p);
  check_multiplexing(p);
  check_time("predictor-timeout", p.predictor_timeout, true);
  check_time("predictor-pause", p.predictor_pause, false);
  if (p.predictor_threshold == 0)
    refuse("predictor-threshold", "must be at least 1",
           "A connection is released after that many sends to others.");
  if (p.predictor_threshold > CountedHoldings::kMostThreshold)
    refuse("predictor-threshold", std::to_string(p.predictor_threshold) + " sends are too many to count",
           "Give at most " + std::to_string(CountedHoldings::kMostThreshold) +
               "; a connection that is to be kept for longer, --predictor timeout keeps.");

  if (p.input_queues != "per-destination" && p.input_queues != "fifo")
    refuse("input-queues", "'" + p.input_queues + "' is not known", "Give per-destination or fifo.");
  check_registered("technique", "technique", p.technique);
  check_registered("allocation", "allocation", p.allocation);
  check_registered("scheduler", SchedulingAlgorithm::kKind, p.scheduler_name);
  make_one_slot_scheduler(p.scheduler_name, {2});  // refuses those that need the whole set at once
  check_registered("predictor", "predictor", p.predictor);
}

namespace {

/// D 4.6. Its wire and its NIC are not in the text: those of ch8 with the short cable. Its K slots hold the
/// predictable part of the traffic, a mesh: four slots, preloaded (D 4.2.2).
void set_ch4(SwitchParameters& p) {
  p.nodes = 64;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.cable = nanoseconds(10);
  p.scheduler = {nanoseconds(20), 1};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.slots = p.preload = 4;
  p.slot_length = nanoseconds(200);
  p.buffer = 8192;
}

/// D 8.5: cable, scheduler and fabric at 100 MHz; a worm is header, ten flits, tail (D 8.4.1).
void set_ch8(SwitchParameters& p) {
  p.nodes = 32;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.cable = nanoseconds(10);  // "10 foot"; "100 foot" is 100 ns
  p.scheduler = {nanoseconds(10), 2};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.worm_limit = 80;
  p.worm_overhead_words = 2;
  p.buffer = 128;  // "small"; "large" is 240 KB
}

/// D 8.5: every destination has its own slot, all preloaded.
void preload_every_destination(SwitchParameters& p) { p.slots = p.preload = p.nodes - 1; }

}  // namespace

void apply_preset(std::string_view name, SwitchParameters& parameters, bool keep_nodes) {
  SwitchParameters p;  // the defaults are ch5's but for the nodes
  if (name == "ch4")
    set_ch4(p);
  else if (name == "ch5")
    p.nodes = 128;
  else if (name == "ch8")
    set_ch8(p);
  else
    throw UserError("preset: unknown parameter set '" + std::string(name) +
                    "'; expected one of: ch4, ch5, ch8");
  p.technique = parameters.technique;
  p.seed = parameters.seed;
  if (keep_nodes) {
    p.nodes = parameters.nodes;
    p.tree = parameters.tree;
  }
  if (name == "ch8") preload_every_destination(p);
  parameters = p;
}

namespace {

/// What was given explicitly, for settings that follow others until then.
struct Given {
  bool nodes = false, slots = false, preload = false, slot_length = false, allocation = false;
  bool every_destination = false;     // preset ch8: slots follow nodes
  std::uint32_t number_of_nodes = 0;  // by --nodes
};

/// "ses|sla|..."
std::string names_of(std::string_view kind) {
  std::string names;
  for (std::string_view k : registered_names(kind)) names += (names.empty() ? "" : "|") + std::string(k);
  return names;
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
  void bytes(const char* name, const char* help, Bytes& b) {
    add(name, "BYTES", help, b == kUnlimited ? "unlimited" : std::to_string(b),
        [&b, name](std::string_view v) { b = parse_bytes(v, name); });
  }
  void rate(const char* name, const char* help, BitRate& r) {
    add(name, "RATE", help, format_rate(r), [&r, name](std::string_view v) { r = parse_rate(v, name); });
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
  /// A registered thing, by name; an unknown one is refused at once.
  void named(const char* name, const char* kind, const char* help, std::string& s,
             std::function<void()> after = {}) {
    add(name, names_of(kind), help, s, [&s, name, kind, after = std::move(after)](std::string_view v) {
      check_registered(name, kind, v);
      s = v;
      if (after) after();
    });
  }
  void add(std::string name, std::string value, std::string help, std::string default_text,
           std::function<void(std::string_view)> set) {
    table_.add({std::move(name), std::move(value), std::move(help), std::move(default_text), std::move(set)});
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
  double share = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), share, std::chars_format::fixed);
  if (error == std::errc{} && end == text.data() + text.size() && share > 0 && share < 1) return share;
  throw UserError("circuit-share: '" + std::string(text) + "' is not a part of a link",
                  "Give a number between 0 and 1, such as 0.5.");
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

  add.named("technique", "technique", "how the switch carries messages", p.technique);
  add.count("nodes", "ports of the switch", p.nodes, kMostNodes, [&p, nodes_set, given] {
    given->number_of_nodes = p.nodes;
    nodes_set();
  });
  add.add(
      "network", std::string(kNetworkForms),
      "one crossbar of N ports, or a fat tree: L levels of switches, W ports up, M (or W) down, M^L nodes",
      p.is_tree() ? network_text(p) : "", [&p, nodes_set, given](std::string_view v) {
        set_network(v, p);
        if (p.is_tree() && given->number_of_nodes != 0 && given->number_of_nodes != p.nodes)
          refuse_nodes(p, given->number_of_nodes);
        // Not every allocation can run on a tree: unless one is given, one that can.
        if (p.is_tree() && !given->allocation) p.allocation = "ses";
        nodes_set();
      });
  add.add("preset", "ch4|ch5|ch8",
          "the dissertation's parameter sets; replaces what was set before, except technique, nodes and seed",
          "", [&p, given](std::string_view v) {
            apply_preset(v, p, given->nodes);
            given->slots = given->preload = given->slot_length = false;
            given->every_destination = v == "ch8";
          });

  add.count("slots", "K, predictive slots of the TDM cycle", p.slots, kMostSlots,
            [given] { given->slots = true; });
  add.count("preload", "slots that are preloaded with what is known of the traffic", p.preload, kMostSlots,
            [given] { given->preload = true; });
  add.named("allocation", "allocation", "how the TDM cycle is shared", p.allocation,
            [given] { given->allocation = true; });
  add.add("fabric", names_of(FabricTechnology::kKind),
          "technology of the analog fabric: sets the three parts of its reconfiguration and, unless "
          "--slot-length is given, slots at least ten times as long as guard and reconfiguration",
          "", [&p, given](std::string_view v) {
            check_registered("fabric", "fabric", v);
            apply_fabric(v, p, given->slot_length);
          });
  add.time("slot-length", "length of a TDM slot", p.slot_length, [given] { given->slot_length = true; });
  add.time("wormhole-slot-length",
           "allocation sla: length of the wormhole slot S_W; 0: follows the measured ratio of traffic",
           p.wormhole_slot_length);
  add.time("guard", "unusable at the start of each slot", p.guard);
  add.time("reconfiguration",
           "time the analog fabric needs to change its configuration, at once instead of in parts",
           p.reconfiguration);
  add.time("reconfiguration-command", "its first part: the controller takes the new configuration",
           p.reconfiguration_command);
  add.time("reconfiguration-switching", "its second part: the fabric changes", p.reconfiguration_switching);
  add.time("reconfiguration-lock", "its third part: receivers lock to new senders", p.reconfiguration_lock);
  add.named("scheduler", "scheduler", "who grants circuits, one slot a pass", p.scheduler_name);
  add.count("scheduler-steps",
            "matching: longest augmenting path K; islip, pim: iterations of a pass; 0: 9 and log2 N",
            p.scheduler_steps, ~std::uint32_t{0});
  add.named("predictor", "predictor", "who asks for circuits", p.predictor);
  add.time("predictor-timeout", "time-out predictor: a connection unused that long is released",
           p.predictor_timeout);
  add.time("predictor-pause", "time-out predictor: of a stretch without sends, no more counts; 0: all of it",
           p.predictor_pause);
  add.count("predictor-threshold", "counter predictor: released after that many sends to others",
            p.predictor_threshold, ~std::uint32_t{0});

  add.bytes("buffer", "size of each NIC queue and of a switch input's wormhole queue", p.buffer);
  add.add("input-queues", "per-destination|fifo",
          "wormhole queues of a switch input: one a destination, or one FIFO (head-of-line blocking)",
          p.input_queues, [&p](std::string_view v) {
            if (v != "per-destination" && v != "fifo")
              refuse("input-queues", "'" + std::string(v) + "' is not known",
                     "Give per-destination or fifo.");
            p.input_queues = v;
          });
  add.bytes("word", "unit of data generation and transfer", p.word);
  add.bytes("flit", "unit of wormhole flow control", p.flit);
  add.bytes("worm-limit", "payload of one worm", p.worm_limit);
  add.count("worm-overhead", "header and tail words that travel with each worm", p.worm_overhead_words, 1024);

  add.add("circuit-share", "SHARE", "wave, coll, chen-liu: part of each link that is for circuits",
          share_text(p.circuit_share), [&p](std::string_view v) { p.circuit_share = parse_share(v); });
  add.count("circuit-channels", "wave: switches that divide the circuits' share evenly", p.circuit_channels,
            kMostChannels);
  add.bytes("split-size", "wave, coll, chen-liu: messages of that size and more ask for a circuit",
            p.split_size);

  add.time("word-generation", "time in which a PE hands one word to its NIC", p.word_generation);
  add.clock("nic", "a network interface card", p.nic);
  add.time("serialise", "parallel-to-serial conversion", p.serialise);
  add.time("cable", "one way through the cable", p.cable);
  add.time("deserialise", "serial-to-parallel conversion", p.deserialise);
  add.rate("link-rate", "peak rate of a link", p.link_rate);
  add.clock("scheduler", "the scheduler", p.scheduler);
  add.clock("digital-fabric", "the digital fabric (wormhole)", p.digital_fabric);
  add.clock("analog-fabric", "the analog fabric (circuits)", p.analog_fabric);
  add.add("seed", "N", "of everything random", std::to_string(p.seed),
          [&p](std::string_view v) { p.seed = parse_count(v, "seed"); });
}

}  // namespace hybrid
