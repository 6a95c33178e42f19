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

std::vector<std::optional<WaitParts>> divide_waits(const std::vector<WaitToDivide>& results,
                                                   const JobBounds& bounds, const VariantEmulator& emulate) {
  std::vector<std::optional<WaitParts>> all(results.size());
  if (!bounds.no_network || !bounds.uncontended || !bounds.ideal) return all;

  constexpr std::size_t kNone = ~std::size_t{0};
  struct Steps {
    std::size_t result, fixed = kNone, instant = kNone;  // the runs; kNone: as the step before
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
    const SwitchParameters fixed = without_reconfiguration(own), instant = without_scheduling(fixed);
    if (!same_fabric(own, fixed)) add(step.fixed, fixed);
    if (!same_scheduler(fixed, instant)) add(step.instant, instant);
  }
  const std::vector<EmulatedRun> emulated = runs.empty() ? std::vector<EmulatedRun>{} : emulate(runs, of);

  for (const Steps& step : steps) {
    const auto failed = [&](std::size_t run) { return run != kNone && !emulated[run].measures; };
    if (failed(step.fixed) || failed(step.instant)) continue;
    const auto communication = [&](std::size_t run, Time before) {
      return run == kNone ? before : emulated[run].measures->communication_time;
    };
    const Time own = results[step.result].communication, fixed = communication(step.fixed, own),
               instant = communication(step.instant, fixed), ideal = bounds.ideal->communication,
               uncontended = bounds.uncontended->communication;
    WaitParts parts;
    parts.path = uncontended - std::min(own, bounds.no_network->communication);
    parts.contention = ideal - uncontended;
    parts.reconfiguration = own - fixed;
    parts.scheduling = fixed - instant;
    (uses_slots(results[step.result].parameters.technique) ? parts.slots : parts.other) = instant - ideal;
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
  std::array<Loss, 4> losses{{{parts.scheduling, "scheduling"},
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

namespace {

std::vector<TextTable::Column> followed_by_parts(std::vector<TextTable::Column> columns) {
  for (const char* title :
       {"network wait", "path", "contention", "scheduling", "reconfiguration", "slot wait", "other"})
    columns.push_back({title});
  return columns;
}

}  // namespace

WaitTable::WaitTable(const std::vector<TextTable::Column>& first)
    : table_(followed_by_parts(first), first.size()) {}

void WaitTable::add(std::vector<std::string> first, std::string_view technique, const WaitParts& parts) {
  for (const Time part : {parts.sum(), parts.path, parts.contention, parts.scheduling, parts.reconfiguration})
    first.push_back(short_time(part));
  const bool slots = uses_slots(technique);
  first.push_back(slots ? short_time(parts.slots) : "-");
  first.push_back(slots ? "-" : short_time(parts.other));
  table_.add(std::move(first));
}

std::string WaitTable::text(std::size_t width) const {
  if (table_.empty()) return {};
  return "\nWhere the time goes (mean wait of a rank for the network)\n" + table_.text(2, width) +
         wrap(
             "slot wait: the rest with slots; other: the rest without slots (worm limits, request and grant)",
             2, width);
}

}  // namespace hybrid
