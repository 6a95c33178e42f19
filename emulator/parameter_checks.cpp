// Checks of switch parameters. Each refusal names the option, the rule and the fix.
#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/fabric.h"
#include "emulator/network/technique.h"
#include "emulator/network_shape.h"
#include "emulator/parameters.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/tdm/allocation.h"
#include "predictor/holdings.h"

namespace hybrid {

namespace {

static_assert(kMostNodes <= RecencyList::kMostDestinations);
constexpr Time kLongest = nanoseconds(10'000'000'000);  // 10 s: sums do not overflow

[[noreturn]] void refuse(std::string_view option, const std::string& problem, const std::string& fix) {
  throw UserError(std::string(option) + ": " + problem, fix);
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
  if (clock.latency > 0 && clock.cycle.ps > kLongest.ps / static_cast<std::int64_t>(clock.latency))
    refuse(std::string(component) + "-latency",
           std::to_string(clock.latency) + " cycles of " + to_string(clock.cycle) + " are longer than " +
               to_string(kLongest),
           "Give fewer cycles, or a shorter --" + std::string(component) + "-cycle.");
}

void check_sizes(const SwitchParameters& p) {
  if (p.link_rate == 0) refuse("link-rate", "must be more than 0", "Give a rate such as 6.4Gb/s.");
  if (p.word == 0) refuse("word", "must be at least 1 byte", "The usual word is 8 bytes.");
  if (time_on_link(p.word, p.link_rate) > kLongest)
    refuse("link-rate", "one word of " + format_bytes(p.word) + " takes longer than " + to_string(kLongest),
           "Give a higher --link-rate, or a smaller --word.");
  if (p.flit == 0 || p.flit % p.word != 0)
    refuse("flit", format_bytes(p.flit) + " is not a whole number of words of " + format_bytes(p.word),
           "Give a multiple of --word.");
  if (p.worm_limit < p.flit)
    refuse("worm-limit", format_bytes(p.worm_limit) + " is less than one flit of " + format_bytes(p.flit),
           "Give at least one flit, or a smaller --flit.");
  if (p.buffer < p.flit)
    refuse("buffer", format_bytes(p.buffer) + " does not hold one flit of " + format_bytes(p.flit),
           "Give at least one flit, such as 128, or 'unlimited'.");
  if (p.input_buffer != 0 && p.input_buffer < p.flit)
    refuse("input-buffer",
           format_bytes(p.input_buffer) + " does not hold one flit of " + format_bytes(p.flit),
           "Give at least one flit, or 0 for the size that --buffer gives.");
  const QueueSizes sizes = queue_sizes(p);
  if (const Bytes least = std::min({sizes.destination, sizes.worms, sizes.input}); least < p.flit)
    refuse("buffer",
           format_bytes(p.buffer) + " for all queues of a NIC leave " + format_bytes(least) +
               " for one of them, less than one flit of " + format_bytes(p.flit),
           "Give a larger --buffer, or --buffer-scope queue.");
  const Bytes packet = std::max<Bytes>(1, p.worm_limit / p.word) + p.worm_overhead_words;
  if (p.technique == "packet" && std::min(sizes.worms, sizes.input) / p.word < packet)
    refuse("buffer",
           format_bytes(std::min(sizes.worms, sizes.input)) + " does not hold one packet of " +
               format_bytes(packet * p.word) + ", which store and forward needs",
           "Give a larger --buffer, or a smaller --worm-limit.");
}

/// Links whose rate is divided between worms and circuits.
void check_split(const SwitchParameters& p) {
  if (!uses_option(Technique::kKind, p.technique, "circuit-share")) return;
  if (!(p.circuit_share > 0 && p.circuit_share < 1))
    refuse("circuit-share", "must leave a part of the link for circuits and a part for worms",
           "Give a number between 0 and 1, such as 0.5; for only one of them use --technique wormhole or "
           "circuit.");
  if (p.circuit_channels == 0 || p.circuit_channels > kMostChannels)
    refuse("circuit-channels",
           std::to_string(p.circuit_channels) + " switches for circuits are not in the range",
           "Give 1 to " + std::to_string(kMostChannels) + ".");
  const SplitRates rates = split_rates(p);
  if (time_on_link(p.word, rates.channel) > kLongest || time_on_link(p.word, rates.worms) > kLongest)
    refuse("circuit-share",
           "leaves so little of the link that one word takes longer than " + to_string(kLongest),
           "Give a share closer to 0.5, a higher --link-rate, or fewer --circuit-channels.");
}

void check_reconfiguration(const SwitchParameters& p) {
  check_time("reconfiguration", p.reconfiguration, false);
  check_time("reconfiguration-command", p.reconfiguration_command, false);
  check_time("reconfiguration-switching", p.reconfiguration_switching, false);
  check_time("reconfiguration-lock", p.reconfiguration_lock, false);
  const Time parts = p.reconfiguration_parts();
  if ((p.reconfiguration != Time{} || p.reconfiguration_given) && parts != Time{} &&
      p.reconfiguration != parts)
    refuse("reconfiguration",
           to_string(p.reconfiguration) + ", but the sum of its parts is " + to_string(parts) + " (command " +
               to_string(p.reconfiguration_command) + ", switching " +
               to_string(p.reconfiguration_switching) + ", lock " + to_string(p.reconfiguration_lock) + ")",
           "Give either --reconfiguration or its parts (--fabric sets the parts).");
}

/// Refuses delays of very many slots: the emulation follows each slot under way, in time and memory.
void check_slots_under_way(const SwitchParameters& p) {
  constexpr std::int64_t kMostSlotsUnderWay = 100'000;
  const auto check = [&](std::string_view option, const std::string& what, Time t) {
    if (t.ps / kMostSlotsUnderWay > p.slot_length.ps || t > kMostSlotsUnderWay * p.slot_length)
      refuse(option,
             what + " takes " + to_string(t) + ", more than " + std::to_string(kMostSlotsUnderWay) +
                 " slots of " + to_string(p.slot_length),
             "Give a shorter time, or longer slots (--slot-length).");
  };
  check("nic-cycle", "a network interface card", p.nic.delay());
  const Time wire = p.serialise + p.cable + p.deserialise;
  check(p.cable >= p.serialise && p.cable >= p.deserialise ? "cable"
        : p.serialise >= p.deserialise                     ? "serialise"
                                                           : "deserialise",
        "the wire from NIC to switch", wire);
  check("scheduler-cycle", "a scheduling pass", p.scheduler.delay());
  check("scheduler-cycle", "the scheduler's clock cycle", p.scheduler.cycle);
  check("analog-fabric-cycle", "the analog fabric", p.analog_fabric.delay());
  check("word-generation", "the generation of a word", p.word_generation);
}

void check_multiplexing(const SwitchParameters& p) {
  if (p.slots == 0)
    refuse("slots", "a TDM cycle of K = 0 slots carries no data",
           "Give at least 1; for a switch without circuits use --technique wormhole.");
  if (p.slots > kMostSlots)
    refuse("slots", std::to_string(p.slots) + " are too many",
           "Give at most " + std::to_string(kMostSlots) + ".");
  if (p.preload > p.slots)
    refuse("preload",
           std::to_string(p.preload) + " preloaded slots, but only " + std::to_string(p.slots) + " slots",
           "Give more --slots, or --preload " + std::to_string(p.slots) +
               " (--preset ch8 preloads a slot for every other node).");
  if (!uses_option(Technique::kKind, p.technique, "slots")) return;
  check_slots_under_way(p);
  // With allocations that keep circuits a slot is only the tick at which ports change their circuits one by
  // one.
  const bool keeps_circuits =
      p.word_time() > Time{} && AllocationRegistration::make(p.allocation, p)->keeps_circuits();
  const Time unusable = keeps_circuits ? p.guard : p.unusable_slot_time(true);
  const std::string lost = p.circuit_spread() == Time{}
                               ? "guard and reconfiguration"
                               : "guard, reconfiguration and the difference between the "
                                 "tree's longest and shortest circuits";
  if (p.wormhole_slot_length != Time{} && p.wormhole_slot_length - unusable < p.word_time())
    refuse("wormhole-slot-length",
           to_string(p.wormhole_slot_length) + " leaves no time for one word of " + to_string(p.word_time()) +
               " after " + lost + " (" + to_string(unusable) + ")",
           "Give a longer slot, or 0 to follow the measured ratio of traffic.");
  if (p.slot_length <= unusable)
    refuse("slot-length",
           to_string(p.slot_length) + " is not longer than " + lost + " together (" + to_string(unusable) +
               "), so no data can be sent",
           "Give a longer --slot-length, or a shorter --guard or --reconfiguration.");
  if (p.slot_length - unusable < p.word_time())
    refuse("slot-length",
           to_string(p.slot_length) + " leaves " + to_string(p.slot_length - unusable) + " after " + lost +
               ", but one word takes " + to_string(p.word_time()),
           "Give a longer --slot-length, a shorter --guard or --reconfiguration, or a higher --link-rate.");
}

}  // namespace

void check_registered(std::string_view option, std::string_view kind, std::string_view name) {
  if (is_registered(kind, name)) return;
  const auto known = registered_names(kind);
  std::string list;
  for (std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  const std::string_view meant = closest_name(name, known);
  refuse(option, "unknown " + std::string(kind) + " '" + std::string(name) + "'; expected one of: " + list,
         meant.empty() ? "" : "Did you mean '" + std::string(meant) + "'?");
}

void check_input_queues(std::string_view name) {
  if (name != "per-destination" && name != "fifo")
    refuse("input-queues", "unknown kind '" + std::string(name) + "'", "Give per-destination or fifo.");
}

void check(const SwitchParameters& p) {
  if (p.nodes < 2)
    refuse("nodes",
           std::to_string(p.nodes) + (p.nodes == 1 ? " port is" : " ports are") + " too few for a switch",
           "Give at least 2.");
  if (p.nodes > kMostNodes)
    refuse("nodes", std::to_string(p.nodes) + " are too many",
           "Give at most " + std::to_string(kMostNodes) + ".");

  // First the names: the other checks depend on the registered techniques and allocations.
  check_registered("technique", "technique", p.technique);
  check_registered("allocation", "allocation", p.allocation);
  check_registered("scheduler", SchedulingAlgorithm::kKind, p.scheduler_name);
  check_registered("predictor", "predictor", p.predictor);

  check_network(p);
  check_sizes(p);  // before the times that follow the link rate

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
  check_split(p);
  check_multiplexing(p);
  check_time("predictor-timeout", p.predictor_timeout, true);
  check_time("predictor-pause", p.predictor_pause, false);
  if (p.predictor_threshold == 0)
    refuse("predictor-threshold", "must be at least 1",
           "A connection is released after that many sends to other destinations.");
  for (const auto& [name, value] :
       {std::pair{"predictor-order", p.predictor_order}, {"predictor-ahead", p.predictor_ahead}})
    if (value < 1 || value > 8) refuse(name, std::to_string(value) + " destinations", "Give 1 to 8.");
  if (p.predictor_threshold > CountedHoldings::kMostThreshold)
    refuse("predictor-threshold", std::to_string(p.predictor_threshold) + " sends are too many to count",
           "Give at most " + std::to_string(CountedHoldings::kMostThreshold) +
               "; to keep a connection for longer, use --predictor timeout.");

  check_input_queues(p.input_queues);
  // Throws for schedulers that need the whole request set at once.
  if (p.is_tree())
    make_tree_route(p.scheduler_name, p.tree, p.slots, p.seed);
  else if (!SchedulerRegistration::make(p.scheduler_name)->schedules_one_slot())
    make_one_slot_scheduler(p.scheduler_name, {2});
}

}  // namespace hybrid
