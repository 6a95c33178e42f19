#include "libhybrid/report/design_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/registry.h"
#include "emulator/fabric.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"
#include "libhybrid/report/predictor_scores.h"
#include "predictor/predictor.h"
#include "predictor/reference_predictors.h"

namespace hybrid {

namespace {

constexpr std::array<std::string_view, 3> kUsualPredictors{"none", "timeout", "tournament"};

std::vector<std::uint32_t> slot_counts_to_try(const JobEmulator& job) {
  const SwitchParameters& p = job.options().network;
  if (!job.options().slot_counts.empty()) return job.options().slot_counts;
  const std::uint32_t most = std::max({1u, std::min(job.slots_needed(), kMostSlotsTried), p.preload});
  std::vector<std::uint32_t> counts;
  for (std::uint32_t k = 1; k < most; k *= 2)
    if (k >= p.preload) counts.push_back(k);
  counts.push_back(most);
  return counts;
}

std::vector<Time> slot_lengths_to_try(const SwitchParameters& p) {
  const Time base = std::max(p.slot_length, least_slot_length(p));
  std::vector<Time> lengths;
  for (const Time length : {Time{base.ps / 2}, base, base * 2, base * 4})
    if (length > Time{}) lengths.push_back(length);
  return lengths;
}

// The index of the last value that is at most `wanted`; 0 if there is none. `values` ascend.
template <class Value>
std::size_t nearest(const std::vector<Value>& values, const Value& wanted) {
  const auto above = std::upper_bound(values.begin(), values.end(), wanted);
  return above == values.begin() ? 0 : static_cast<std::size_t>(above - values.begin()) - 1;
}

// Registered techniques that the network supports, or those that it does not.
std::vector<std::string> searchable(const JobOptions& options, bool supported) {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(Technique::kKind)) {
    const bool divides_links = uses_option(Technique::kKind, name, "circuit-share");
    const bool runs = !options.network.is_tree() || runs_on_fat_trees(Technique::kKind, name);
    if (!is_bound(name) && !divides_links && runs == supported) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::size_t> DesignSpace::sizes() const {
  return {shares.size(), slot_counts.size(), slot_lengths.size(), predictors.size()};
}

std::size_t DesignSpace::points() const {
  return shares.size() * slot_counts.size() * slot_lengths.size() * predictors.size();
}

SwitchParameters DesignSpace::parameters(const JobEmulator& job, const DesignPoint& point) const {
  SwitchParameters p = job.parameters(technique, slot_counts[point[kSlotCounts]]);
  p.packet_plane = shares[point[kShares]];
  p.slot_length = slot_lengths[point[kSlotLengths]];
  p.predictor = predictors[point[kPredictors]];
  return p;
}

std::string DesignSpace::value(std::size_t dimension, std::size_t index) const {
  switch (dimension) {
    case kShares:
      return fmt::format("{}", shares[index]);
    case kSlotCounts:
      return std::to_string(slot_counts[index]);
    case kSlotLengths:
      return to_string(slot_lengths[index]);
    default:
      return predictors[index];
  }
}

DesignSpace design_space(const JobEmulator& job, const std::string& technique, const OptionSet& named,
                         const std::vector<std::string>& predictors) {
  const SwitchParameters& p = job.options().network;
  const auto is_free = [&](std::string_view option) {
    return !named.contains(option) && uses_option(Technique::kKind, technique, option);
  };
  DesignSpace space;
  space.technique = technique;
  space.shares = {p.packet_plane};
  if (is_free("packet-plane") && p.fabric_reconfiguration() > Time{})
    space.shares.assign(kSharesTried.begin(), kSharesTried.end());
  space.slot_counts = {p.slots};
  if (uses_slots(technique)) space.slot_counts = slot_counts_to_try(job);
  std::sort(space.slot_counts.begin(), space.slot_counts.end());
  space.slot_lengths = {p.slot_length};
  if (is_free("slot-length")) space.slot_lengths = slot_lengths_to_try(p);
  space.predictors = {p.predictor};
  if (is_free("predictor")) space.predictors = predictors;

  const auto predictor = std::ranges::find(space.predictors, p.predictor);
  space.start = {nearest(space.shares, p.packet_plane), nearest(space.slot_counts, p.slots),
                 nearest(space.slot_lengths, p.slot_length),
                 predictor == space.predictors.end()
                     ? 0
                     : static_cast<std::size_t>(predictor - space.predictors.begin())};
  return space;
}

std::vector<std::string> techniques_to_search(const JobOptions& options) {
  if (options.techniques.empty()) return searchable(options, true);
  std::vector<std::string> once;
  for (const std::string& name : options.techniques)
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  return once;
}

std::vector<std::string> techniques_not_supported(const JobOptions& options) {
  return options.techniques.empty() ? searchable(options, false) : std::vector<std::string>();
}

std::vector<std::string> predictors_to_search(const JobEmulator& job, std::uint32_t slots,
                                              const ProgressNote& note) {
  std::vector<std::string> all(kUsualPredictors.begin(), kUsualPredictors.end());
  std::vector<std::string> others;
  for (const std::string_view name : registered_names(Predictor::kKind))
    if (name != kOracle && std::ranges::find(kUsualPredictors, name) == kUsualPredictors.end())
      others.emplace_back(name);
  auto scores = score_predictors(job.opener(), job.options(), others, {slots}, note).scores;
  std::ranges::sort(scores, [](const PredictorScore& a, const PredictorScore& b) {
    return a.hits != b.hits ? a.hits > b.hits : a.predictor < b.predictor;
  });
  for (std::size_t i = 0; i < std::min<std::size_t>(2, scores.size()); ++i)
    all.push_back(scores[i].predictor);
  return all;
}

}  // namespace hybrid
