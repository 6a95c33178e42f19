#include "cli/predict_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "libhybrid/report/terminal_text.h"
#include "predictor/belady.h"
#include "predictor/reference_predictors.h"

namespace hybrid {

namespace {

using Align = TextTable::Align;

constexpr std::string_view kTournament = "tournament", kFloor = "lru", kNone = "none";

std::string capacity_text(std::uint32_t capacity) { return capacity == 0 ? "any" : std::to_string(capacity); }

std::string rate_cell(const PredictorScore& s) { return s.sends == 0 ? "-" : percent(s.hit_rate()); }

bool is_bound(const PredictorScore& s) { return s.predictor == BeladyBound::kName; }

// A predictor that a job could run, by itself.
bool is_single(const PredictorScore& s) {
  return !is_bound(s) && s.predictor != kOracle && s.predictor != kTournament && s.predictor != kNone;
}

std::string time_cell(double nanoseconds) {
  return nanoseconds == 0 ? "-" : fmt::format("{:.0f} ns", nanoseconds);
}

std::string points(double difference) { return fmt::format("{:+.2f}", 100 * difference); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// The trace's row of the summary.
std::vector<std::string> summary_row(const TraceScores& trace, std::uint32_t shown) {
  const PredictorScore *bound = nullptr, *best = nullptr, *tournament = nullptr, *floor = nullptr;
  for (const PredictorScore& s : trace.scores) {
    if (s.capacity != shown || s.sends == 0) continue;
    if (is_bound(s)) bound = &s;
    if (s.predictor == kTournament) tournament = &s;
    if (s.predictor == kFloor) floor = &s;
    if (is_single(s) && (best == nullptr || s.hits > best->hits)) best = &s;
  }
  std::string below;
  std::size_t count = 0;
  for (const PredictorScore& s : trace.scores) {
    if (floor == nullptr || s.capacity != shown || s.hits >= floor->hits || s.predictor == kNone) continue;
    if (++count <= 3) below += (below.empty() ? "" : ", ") + s.predictor;
  }
  if (count > 3) below += fmt::format(" and {} more", count - 3);
  const auto rate = [](const PredictorScore* s) { return s == nullptr ? "-" : rate_cell(*s); };
  return {trace.trace,
          rate(bound),
          best == nullptr ? "-" : best->predictor,
          rate(best),
          bound == nullptr || best == nullptr || bound->hits == 0
              ? "-"
              : percent(best->hit_rate() / bound->hit_rate()),
          rate(tournament),
          tournament == nullptr || best == nullptr ? "-" : points(tournament->hit_rate() - best->hit_rate()),
          rate(floor),
          floor == nullptr ? "-"
          : below.empty()  ? "none"
                           : below};
}

}  // namespace

std::string score_table(const std::vector<PredictorScore>& scores, std::uint32_t shown) {
  std::vector<std::uint32_t> capacities;
  for (const PredictorScore& s : scores)
    if (std::find(capacities.begin(), capacities.end(), s.capacity) == capacities.end())
      capacities.push_back(s.capacity);
  std::vector<TextTable::Column> columns{{"predictor", Align::left}};
  for (std::uint32_t capacity : capacities) columns.push_back({"K = " + capacity_text(capacity)});
  for (const char* title : {"held unused", "requests per message", "mean lead", "state", "time per event"})
    columns.push_back({title});
  TextTable table(std::move(columns));
  for (std::size_t row = 0; row + capacities.size() <= scores.size(); row += capacities.size()) {
    std::vector<std::string> cells{scores[row].predictor};
    const PredictorScore* at = &scores[row];
    for (std::size_t i = row; i < row + capacities.size(); ++i) {
      cells.push_back(rate_cell(scores[i]));
      if (scores[i].capacity == shown) at = &scores[i];
    }
    cells.push_back(at->held == Time{} ? "-" : percent(at->waste()));
    cells.push_back(at->sends == 0 ? "-" : fmt::format("{:.3f}", at->requests_per_message()));
    cells.push_back(at->ahead_used == 0 ? "-" : short_time(at->mean_lead()));
    cells.push_back(
        at->state_bytes == 0 ? "-" : fmt::format("{:.1f} KiB", static_cast<double>(at->state_bytes) / 1024));
    cells.push_back(time_cell(at->ns_per_event()));
    table.add(std::move(cells));
  }
  return table.text(2, TextTable::wide(stdout));
}

std::string summary_table(const std::vector<TraceScores>& traces, std::uint32_t shown) {
  TextTable table({{"trace", Align::left},
                   {"belady"},
                   {"best single", Align::left},
                   {"hit rate"},
                   {"of belady"},
                   {"tournament"},
                   {"to best"},
                   {"lru"},
                   {"below lru", Align::left}});
  for (const TraceScores& trace : traces) table.add(summary_row(trace, shown));
  return table.text(2, TextTable::wide(stdout));
}

std::string scores_csv(const std::vector<TraceScores>& traces) {
  std::string text =
      "trace,predictor,slots,messages,hits,hit_rate,requests,requests_per_message,releases,held_unused,"
      "requests_ahead,requests_ahead_used,mean_lead_ns,state_bytes\n";
  for (const TraceScores& trace : traces)
    for (const PredictorScore& s : trace.scores)
      text += fmt::format("{},{},{},{},{},{:.6f},{},{:.6f},{},{:.6f},{},{},{},{}\n", csv_field(trace.trace),
                          s.predictor, s.capacity, s.sends, s.hits, s.hit_rate(), s.requests,
                          s.requests_per_message(), s.releases, s.waste(), s.ahead, s.ahead_used,
                          s.mean_lead().nanoseconds(), s.state_bytes);
  return text;
}

}  // namespace hybrid
