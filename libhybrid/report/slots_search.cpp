#include "libhybrid/report/slots_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "core/error.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/design_space.h"
#include "libhybrid/report/verdict.h"

namespace hybrid {

std::vector<SlotsFound> find_slots(const JobEmulator& job, const std::vector<std::string>& techniques,
                                   const ProgressNote& note) {
  std::vector<SlotsFound> all;
  std::vector<SwitchParameters> runs;
  for (const std::string& technique : techniques) {
    if (!uses_slots(technique)) continue;
    SlotsFound& found = all.emplace_back(SlotsFound{technique, job.options().network.slots, {}});
    const OptionSet others(kDesignOptions.begin(), kDesignOptions.end());
    std::optional<UserError> refusal;
    for (const std::uint32_t k : design_space(job, technique, others, {}).slot_counts) {
      SwitchParameters parameters = job.parameters(technique, k);
      try {
        check(parameters);
      } catch (const UserError& error) {
        refusal = error;
        continue;
      }
      found.tried.emplace_back(k, std::nullopt);
      runs.push_back(std::move(parameters));
    }
    if (found.tried.empty() && refusal) throw *refusal;
  }
  const auto results = job.emulate(runs, "finding K", note);
  auto result = results.begin();
  for (SlotsFound& found : all) {
    std::optional<Time> least;
    for (auto& [k, time] : found.tried) {
      if (result->measures) time = result->measures->time;
      if (time && (!least || *time < *least)) least = time;
      ++result;
    }
    const auto fits = std::ranges::find_if(found.tried, [&](const auto& entry) {
      return entry.second &&
             static_cast<double>(entry.second->ps) <= static_cast<double>(least->ps) * (1 + kLeastGap);
    });
    if (fits != found.tried.end()) found.slots = fits->first;
  }
  return all;
}

std::string to_text(const SlotsFound& found) {
  if (found.tried.size() == 1)
    return fmt::format("K of {} is {}: no other fits", found.technique, found.slots);
  return fmt::format(
      "K of {} is {}: the smallest of {} with which the job takes at most {} longer than with the best",
      found.technique, found.slots, fmt::join(found.tried | std::views::keys, ", "), in_percent(kLeastGap));
}

}  // namespace hybrid
