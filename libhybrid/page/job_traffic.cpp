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

struct Span {
  std::uint32_t phase = 0;
  Time begin{}, end{};
  std::uint64_t occurrences = 1;
};

// The spans of hinted phases, from messages in the order of their times.
class HintedSpans {
 public:
  void add(std::uint32_t phase, const SentMessage& message) {
    if (message.phase != kNoPhase && last_ == kNoPhase) ++outside_;
    last_ = message.phase;
    const std::uint32_t occurrence = message.phase == kNoPhase ? outside_ : message.phase_occurrence;
    const auto [entry, is_new] = index_.try_emplace({phase, occurrence}, spans_.size());
    if (is_new)
      spans_.push_back({phase, message.at, message.at});
    else
      spans_[entry->second].end = message.at;
  }
  std::vector<Span> finish() { return std::move(spans_); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> index_;  // by phase, occurrence
  std::vector<Span> spans_;                                               // by begin
  std::uint32_t last_ = kNoPhase, outside_ = 0;
};

// Each occurrence of a phase that was found from the sends lasts until the next one.
std::vector<Span> spans_of(const FoundPhases& found) {
  std::vector<Span> spans;
  for (const PhaseOccurrence& one : found.occurrences) {
    if (!spans.empty()) spans.back().end = one.begin;
    spans.push_back({one.phase, one.begin, found.end});
  }
  return spans;
}

// Merges the spans of a phase that are less than `gap` apart.
std::vector<Span> merged(const std::vector<Span>& spans, std::size_t phases, Time gap) {
  std::vector<Span> result;
  std::vector<std::size_t> last(phases, spans.size());  // of the phase, in `result`
  for (const Span& span : spans) {
    std::size_t& before = last[span.phase];
    if (before < result.size() && span.begin - result[before].end < gap) {
      result[before].end = std::max(result[before].end, span.end);
      result[before].occurrences += span.occurrences;
    } else {
      before = result.size();
      result.push_back(span);
    }
  }
  return result;
}

// Groups of twice as many ranks.
Cells merged(const Cells& cells) {
  Cells sum;
  for (const auto& [cell, volume] : cells) sum[{cell[0], cell[1], cell[2] / 2, cell[3] / 2}].add(volume);
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
  HintedSpans hinted;
  for_each_sent(trace, own, [&](const SentMessage& message) {
    const std::uint32_t operation = operations[operation_of(message)];
    const std::uint32_t phase = phase_of(message);
    const std::uint32_t source = message.source_rank / rank_group;
    cells[{phase, operation, source, message.destination_rank / rank_group}].add({1, message.bytes});
    if (found.occurrences.empty()) hinted.add(phase, message);
    // Messages inside a port may be later than the last one that is not.
    const auto bin =
        static_cast<std::size_t>(std::min<std::int64_t>(message.at.ps / width, detail.time_bins - 1));
    if (operation == by_operation.size()) by_operation.emplace_back(detail.time_bins);
    by_operation[operation][bin] += message.bytes;
    by_rank[source][bin] += message.bytes;
  });

  std::uint32_t group = rank_group;
  while (cells.size() > detail.cells && group < ranks) {
    cells = merged(cells);
    group *= 2;
  }

  auto json = nlohmann::ordered_json::object();
  json["ranks"] = ranks;
  json["end_ns"] = found.end.nanoseconds();
  json["group"] = group;
  json["operations"] = operations.all();
  json["phases"] = phase_of.names();
  json["cells"] = nlohmann::ordered_json::array();
  for (const auto& [cell, volume] : cells)
    json["cells"].push_back({cell[0], cell[1], cell[2], cell[3], volume.messages, volume.bytes});
  json["spans"] = nlohmann::ordered_json::array();
  std::vector<Span> spans = found.occurrences.empty() ? hinted.finish() : spans_of(found);
  Time gap{};
  if (spans.size() > detail.spans) {
    // A span is followed by such a gap, unless it is a phase's last: about `detail.spans` remain.
    const std::size_t phases = phase_of.names().size();
    gap = Time{(found.end.ps / detail.spans + 1) * static_cast<std::int64_t>(phases)};
    spans = merged(spans, phases, gap);
  }
  json["gap_ns"] = gap.nanoseconds();
  for (const Span& span : spans)
    json["spans"].push_back({span.phase, span.begin.nanoseconds(), span.end.nanoseconds(), span.occurrences});
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
