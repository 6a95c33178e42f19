#include "libhybrid/page/job_traffic.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "libhybrid/report/connection_traffic.h"

namespace hybrid {
namespace {

// Phase, operation, source, destination.
using Cell = std::array<std::uint32_t, 4>;
using Cells = std::map<Cell, Volume>;

// Numbers of names, in the order of their first use.
class Names {
 public:
  std::uint32_t operator[](std::string_view name) {
    const auto index = std::find(names_.begin(), names_.end(), name) - names_.begin();
    if (index == std::ssize(names_)) names_.emplace_back(name);
    return static_cast<std::uint32_t>(index);
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// The phase of a message: by its time if the phases were found from the sends, else by its region.
class PhaseOfMessage {
 public:
  PhaseOfMessage(const FoundPhases& found, const JobTrace& trace) : found_(found), trace_(trace) {
    for (const Phase& phase : found.phases) (void)names_[phase.name];
  }
  std::uint32_t operator()(const SentMessage& message) {
    if (!found_.occurrences.empty()) {
      const auto after =
          std::upper_bound(found_.occurrences.begin(), found_.occurrences.end(), message.at,
                           [](Time at, const PhaseOccurrence& occurrence) { return at < occurrence.begin; });
      return after == found_.occurrences.begin() ? 0 : std::prev(after)->phase;
    }
    return names_[message.phase == kNoPhase ? kOutsidePhases
                                            : std::string_view(trace_.region_name(message.phase))];
  }
  /// Those of the report, then phases all of whose messages stay inside ports.
  const std::vector<std::string>& names() const { return names_.all(); }

 private:
  const FoundPhases& found_;
  const JobTrace& trace_;
  Names names_;
};

Cells merged(const Cells& cells, std::uint32_t group) {
  Cells sum;
  for (const auto& [cell, volume] : cells)
    sum[{cell[0], cell[1], cell[2] / group, cell[3] / group}].add(volume);
  return sum;
}

}  // namespace

nlohmann::ordered_json traffic_json(JobTrace& trace, const FoundPhases& found, const ReplayOptions& options,
                                    const TrafficDetail& detail) {
  const std::uint32_t ranks = trace.ranks();
  ReplayOptions own = options;
  // A port for each rank, so that no message stays inside a port.
  own.placement.resize(ranks);
  std::iota(own.placement.begin(), own.placement.end(), 0);

  Names operations;
  Cells cells;
  std::vector<std::vector<Bytes>> by_operation;
  const std::uint32_t rank_group = (ranks + detail.rank_groups - 1) / detail.rank_groups;
  std::vector<std::vector<Bytes>> by_rank((ranks + rank_group - 1) / rank_group,
                                          std::vector<Bytes>(detail.time_bins));
  const std::int64_t width = std::max<std::int64_t>(1, found.end.ps / detail.time_bins + 1);
  PhaseOfMessage phase_of(found, trace);
  for_each_sent(trace, own, [&](const SentMessage& message) {
    const std::uint32_t operation = operations[operation_of(message)];
    cells[{phase_of(message), operation, message.source_rank, message.destination_rank}].add(
        {1, message.bytes});
    // Messages inside a port may be later than the last one that is not.
    const auto bin =
        static_cast<std::size_t>(std::min<std::int64_t>(message.at.ps / width, detail.time_bins - 1));
    if (operation == by_operation.size()) by_operation.emplace_back(detail.time_bins);
    by_operation[operation][bin] += message.bytes;
    by_rank[message.source_rank / rank_group][bin] += message.bytes;
  });

  std::uint32_t group = rank_group;
  Cells shown = group == 1 ? std::move(cells) : merged(cells, group);
  while (shown.size() > detail.cells && group < ranks) {
    shown = merged(shown, 2);
    group *= 2;
  }

  auto json = nlohmann::ordered_json::object();
  json["ranks"] = ranks;
  json["end_ns"] = found.end.nanoseconds();
  json["group"] = group;
  json["operations"] = operations.all();
  json["phases"] = phase_of.names();
  json["cells"] = nlohmann::ordered_json::array();
  for (const auto& [cell, volume] : shown)
    json["cells"].push_back({cell[0], cell[1], cell[2], cell[3], volume.messages, volume.bytes});
  json["occurrences"] = nlohmann::ordered_json::array();
  const std::size_t listed = std::min<std::size_t>(found.occurrences.size(), detail.occurrences);
  for (std::size_t i = 0; i < listed; ++i)
    json["occurrences"].push_back({found.occurrences[i].begin.nanoseconds(), found.occurrences[i].phase});
  json["occurrences_left_out"] = found.occurrences.size() - listed;
  auto& bins = json["bins"];
  bins["width_ns"] = static_cast<double>(width) / 1000;
  bins["operations"] = nlohmann::ordered_json::array();
  for (const auto& bytes : by_operation) bins["operations"].push_back(bytes);
  bins["group"] = rank_group;
  bins["ranks"] = nlohmann::ordered_json::array();
  for (const auto& bytes : by_rank) bins["ranks"].push_back(bytes);
  return json;
}

}  // namespace hybrid
