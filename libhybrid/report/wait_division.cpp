#include "libhybrid/report/wait_division.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

namespace {

bool technique_uses(std::string_view technique, std::string_view option) {
  return uses_option(Technique::kKind, technique, option);
}

bool same_fabric(const SwitchParameters& a, const SwitchParameters& b) {
  return a.guard == b.guard && a.fabric_reconfiguration() == b.fabric_reconfiguration();
}

bool same_scheduler(const SwitchParameters& a, const SwitchParameters& b) {
  return a.scheduler.cycle == b.scheduler.cycle && a.scheduler.latency == b.scheduler.latency;
}

}  // namespace

SwitchParameters without_reconfiguration(SwitchParameters p) {
  if (technique_uses(p.technique, "guard")) p.guard = Time{};
  if (technique_uses(p.technique, "reconfiguration"))
    p.reconfiguration = p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock =
        Time{};
  return p;
}

SwitchParameters without_scheduling(SwitchParameters p) {
  const Time shortest = uses_slots(p.technique) ? p.word_time() : picoseconds(1);
  p.scheduler = {std::min(p.scheduler.cycle, shortest), 0};
  return p;
}

SwitchParameters with_full_packet_plane(SwitchParameters p) {
  if (p.has_packet_plane()) p.packet_plane = 1;
  return p;
}

WaitToDivide to_divide(const SwitchParameters& parameters, const Measures& measures) {
  return {parameters, measures.communication_time, measures.statistics.circuit_messages != 0};
}

std::vector<std::optional<WaitParts>> divide_waits(const std::vector<WaitToDivide>& results,
                                                   const JobBounds& bounds, const VariantEmulator& emulate) {
  std::vector<std::optional<WaitParts>> all(results.size());
  if (!bounds.no_network || !bounds.uncontended || !bounds.ideal) return all;

  constexpr std::size_t kNone = ~std::size_t{0};
  struct Steps {
    std::size_t result, fixed = kNone, instant = kNone, plane = kNone;  // the runs; kNone: as the step before
  };
  std::vector<Steps> steps;
  std::vector<SwitchParameters> runs;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const SwitchParameters& own = results[i].parameters;
    if (is_bound(own.technique)) continue;
    Steps& step = steps.emplace_back(Steps{i});
    const auto add = [&](std::size_t& run, const SwitchParameters& parameters) {
      run = runs.size();
      runs.push_back(parameters);
      of.push_back(i);
    };
    const SwitchParameters fixed = without_reconfiguration(own), instant = without_scheduling(fixed),
                           plane = with_full_packet_plane(instant);
    if (!same_fabric(own, fixed)) add(step.fixed, fixed);
    if (!same_scheduler(fixed, instant)) add(step.instant, instant);
    if (plane.packet_plane != instant.packet_plane) add(step.plane, plane);
  }
  const std::vector<EmulatedRun> emulated = runs.empty() ? std::vector<EmulatedRun>{} : emulate(runs, of);

  for (const Steps& step : steps) {
    const auto failed = [&](std::size_t run) { return run != kNone && !emulated[run].measures; };
    if (failed(step.fixed) || failed(step.instant) || failed(step.plane)) continue;
    const auto communication = [&](std::size_t run, Time before) {
      return run == kNone ? before : emulated[run].measures->communication_time;
    };
    const WaitToDivide& result = results[step.result];
    const Time own = result.communication, fixed = communication(step.fixed, own),
               instant = communication(step.instant, fixed), plane = communication(step.plane, instant),
               ideal = bounds.ideal->communication, uncontended = bounds.uncontended->communication;
    WaitParts parts;
    parts.path = uncontended - std::min(own, bounds.no_network->communication);
    parts.contention = ideal - uncontended;
    parts.reconfiguration = own - fixed;
    parts.scheduling = fixed - instant;
    parts.packet_plane = instant - plane;
    const bool slots = result.uses_circuits && uses_slots(result.parameters.technique);
    (slots ? parts.slots : parts.other) = plane - ideal;
    all[step.result] = parts;
  }
  return all;
}

std::string_view name_of_other(std::string_view technique) {
  if (technique_uses(technique, "circuit-share")) return "divided links";
  return technique_uses(technique, "worm-limit") ? "worm limits" : "request and grant";
}

std::string largest_loss(std::string_view technique, const WaitParts& parts) {
  using Loss = std::pair<Time, std::string_view>;
  std::array<Loss, 5> losses{{{parts.scheduling, "scheduling"},
                              {parts.packet_plane, "the low rate of the packet plane"},
                              {parts.slots, "waiting for a slot"},
                              {parts.other, name_of_other(technique)},
                              {parts.reconfiguration, "reconfiguration"}}};
  const auto largest = [&losses]() -> Loss& { return *std::ranges::max_element(losses, {}, &Loss::first); };
  Time gains;
  for (Loss& loss : losses) {
    gains += std::max(Time{}, Time{} - loss.first);
    loss.first = std::max(Time{}, loss.first);
  }
  while (gains > Time{} && largest().first > Time{}) {
    const Time charged = std::min(gains, largest().first);
    largest().first -= charged;
    gains -= charged;
  }
  const auto& [time, cause] = largest();
  return time > Time{} ? fmt::format("{} to {}", short_time(time), cause) : std::string{};
}

std::string WaitTable::text(std::size_t width) const {
  if (rows_.empty()) return {};
  const bool plane = std::ranges::any_of(rows_, [](const Row& r) { return r.parts.packet_plane != Time{}; });
  std::vector<TextTable::Column> columns = first_;
  for (const char* title : {"network wait", "path", "contention", "scheduling", "reconfiguration"})
    columns.push_back({title});
  if (plane) columns.push_back({"packet plane"});
  columns.insert(columns.end(), {{"slot wait"}, {"other"}});
  TextTable table(columns, first_.size());
  for (const auto& [first, slots, parts] : rows_) {
    std::vector<std::string> cells = first;
    for (const Time part :
         {parts.sum(), parts.path, parts.contention, parts.scheduling, parts.reconfiguration})
      cells.push_back(short_time(part));
    if (plane) cells.push_back(short_time(parts.packet_plane));
    cells.push_back(slots && parts.other == Time{} ? short_time(parts.slots) : "-");
    cells.push_back(slots && parts.other == Time{} ? "-" : short_time(parts.other));
    table.add(std::move(cells));
  }
  return "\nWhere the time goes (mean wait of a rank for the network)\n" + table.text(2, width) +
         (plane ? wrap("packet plane: its rate, which is lower than that of the links", 2, width) : "") +
         wrap(
             "slot wait: the rest with slots; other: the rest without slots (worm limits, request and grant)",
             2, width);
}

}  // namespace hybrid
