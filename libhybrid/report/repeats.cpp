#include "libhybrid/report/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Key key_of(const TechniqueResult& result) { return {result.measures.technique, result.measures.slots}; }

const TechniqueResult* find(const JobReport& report, const Key& key) {
  for (const TechniqueResult& result : report.techniques)
    if (key_of(result) == key) return &result;
  return nullptr;
}

bool in_all(const std::vector<JobReport>& runs, const Key& key) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const JobReport& run) { return find(run, key) != nullptr; });
}

double time_of(const TechniqueResult& result) { return result.measures.time.nanoseconds(); }

double number(double value) { return value; }
double number(Time value) { return value.nanoseconds(); }

// The spread of value_of(run), an optional number or time; nothing if a run has none.
template <class ValueOf>
std::optional<Spread> spread_over(const std::vector<JobReport>& runs, ValueOf&& value_of) {
  std::vector<double> values;
  for (const JobReport& run : runs) {
    const auto value = value_of(run);
    if (!value) return std::nullopt;
    values.push_back(number(*value));
  }
  return spread_of(std::move(values));
}

std::string name(const RepeatedTechnique& t) {
  return t.slots == 0 ? t.technique : fmt::format("{} with K = {}", t.technique, t.slots);
}

// "88.0 % of wormhole's job time (median of 5 runs; 87.0 to 91.0 %)".
std::string share_of_time(const RepeatedTechnique& t, const RepeatedReport& report) {
  return fmt::format("{} of {}'s job time (median of {} runs; {:.1f} to {})", percent(t.time_ratio.median),
                     report.reference, report.runs.size(), 100 * t.time_ratio.least,
                     percent(t.time_ratio.most));
}

Contender contender_of(const RepeatedTechnique& t) {
  Contender contender;
  contender.technique = t.technique;
  contender.slots = t.slots;
  return contender;
}

void judge(RepeatedReport& report) {
  const RepeatedTechnique* best = nullptr;
  bool all_certain = true;  // that none is more than 1 % faster than the reference
  for (const RepeatedTechnique& t : report.techniques) {
    if (t.technique == report.reference) continue;
    all_certain = all_certain && t.time_ratio.least >= 1 - kTie;
    if (best == nullptr || t.time_ratio.median < best->time_ratio.median) best = &t;
  }
  if (best == nullptr) {
    report.sentence = fmt::format("Only {} was emulated, so there is nothing to compare.", report.reference);
    return;
  }
  for (const RepeatedTechnique& t : report.techniques)
    if (t.technique != report.reference && t.time_ratio.median <= best->time_ratio.median * (1 + kTie) &&
        t.time_ratio.most < 1 - kTie && is_simpler(contender_of(t), contender_of(*best)))
      best = &t;
  const std::string share = share_of_time(*best, report);
  if (best->time_ratio.most < 1 - kTie) {
    report.technique = best->technique;
    report.slots = best->slots;
    report.sentence = fmt::format("{} suits this job: it takes {}.", name(*best), share);
  } else if (all_certain) {
    report.technique = report.reference;
    report.sentence = fmt::format("{} suits this job: the best of the others, {}, takes {}.",
                                  report.reference, name(*best), share);
  } else if (best->time_ratio.most < 1) {
    report.sentence = fmt::format(
        "No verdict: the best, {}, is faster in every run, but in some by 1 % or less. It takes {}.",
        name(*best), share);
  } else {
    report.sentence =
        fmt::format("No verdict: the difference is within the spread of the runs. The best, {}, takes {}.",
                    name(*best), share);
  }
  report.sentence = capitalised(std::move(report.sentence));
}

nlohmann::ordered_json to_json(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.least}, {"max", spread.most}};
}
nlohmann::ordered_json to_json(const std::optional<Spread>& spread) {
  return spread ? to_json(*spread) : nlohmann::ordered_json();
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {(values[(n - 1) / 2] + values[n / 2]) / 2, values.front(), values.back()};
}

RepeatedReport compare_repeats(std::vector<JobReport> runs) {
  for (const JobReport& run : runs)
    if (run.job.ranks != runs.front().job.ranks)
      throw UserError(fmt::format("{} has {} ranks, but {} has {}: they are not recordings of one job",
                                  run.trace, run.job.ranks, runs.front().trace, runs.front().job.ranks),
                      "Replay traces of different jobs one at a time, or compare them with `hybrid worth`.");
  RepeatedReport report;
  std::vector<Key> keys;
  for (const TechniqueResult& result : runs.front().techniques)
    if (in_all(runs, key_of(result))) keys.push_back(key_of(result));
  if (keys.empty()) throw UserError("no technique reached the end of the job in all recordings");
  const auto wormhole = std::find(keys.begin(), keys.end(), Key{"wormhole", 0});
  const Key reference = wormhole == keys.end() ? keys.front() : *wormhole;
  report.reference = reference.first;
  for (const Key& key : keys) {
    std::vector<double> times, ratios;
    for (const JobReport& run : runs) {
      times.push_back(time_of(*find(run, key)));
      const double base = time_of(*find(run, reference));
      ratios.push_back(base == 0 ? 1 : times.back() / base);
    }
    const auto spread = [&](auto member) {
      return spread_over(runs, [&](const JobReport& run) { return find(run, key)->*member; });
    };
    report.techniques.push_back({key.first, key.second, spread_of(times), spread_of(ratios),
                                 spread(&TechniqueResult::gap_closed), spread(&TechniqueResult::network_wait),
                                 spread(&TechniqueResult::rank_wait)});
  }
  const auto bound = [&](std::optional<BoundTimes> JobBounds::* which) {
    return spread_over(runs, [&](const JobReport& run) {
      const auto& times = run.bounds.*which;
      return times ? std::optional(times->time) : std::nullopt;
    });
  };
  report.no_network_ns = bound(&JobBounds::no_network);
  report.uncontended_ns = bound(&JobBounds::uncontended);
  report.ideal_ns = bound(&JobBounds::ideal);
  report.runs = std::move(runs);
  judge(report);
  return report;
}

std::string to_text(const RepeatedReport& report, std::size_t width) {
  using enum TextTable::Align;
  const auto time = [](double ns) { return short_time(picoseconds(std::llround(ns * 1e3))); };
  TextTable table(
      {{"technique", left}, {"K"}, {"job time, median"}, {"min"}, {"max"}, {"time ratio"}, {"min"}, {"max"}});
  TextTable waits({{"technique", left}, {"K"}, {"gap closed"}, {"network wait"}, {"wait for other ranks"}});
  const auto median = [&](const std::optional<Spread>& of) { return of ? time(of->median) : "-"; };
  for (const RepeatedTechnique& t : report.techniques) {
    const std::string slots = t.slots == 0 ? "-" : std::to_string(t.slots);
    table.add({t.technique, slots, time(t.time_ns.median), time(t.time_ns.least), time(t.time_ns.most),
               fmt::format("{:.3f}", t.time_ratio.median), fmt::format("{:.3f}", t.time_ratio.least),
               fmt::format("{:.3f}", t.time_ratio.most)});
    if (t.gap_closed || t.network_wait_ns)
      waits.add({t.technique, slots,
                 gap_text(t.gap_closed ? std::optional(t.gap_closed->median) : std::nullopt),
                 median(t.network_wait_ns), median(t.rank_wait_ns)});
  }
  TextTable bounds({{"bound", left}, {"job time, median"}, {"min"}, {"max"}});
  for (const auto& [name, bound] : {std::pair("no-network", report.no_network_ns),
                                    {"uncontended", report.uncontended_ns},
                                    {"ideal", report.ideal_ns}})
    if (bound) bounds.add({name, time(bound->median), time(bound->least), time(bound->most)});
  std::string text = wrap(fmt::format("Techniques over {} runs (job time; time ratio: to {} in the same run)",
                                      report.runs.size(), report.reference),
                          0, width) +
                     table.text(2, width);
  if (!waits.empty())
    text += "\n" + wrap("Gap closed (from wormhole to ideal) and mean wait of a rank: medians", 0, width) +
            waits.text(2, width);
  if (!bounds.empty()) text += "\nBounds\n" + bounds.text(2, width);
  text += "\nVerdict\n" + wrap(report.sentence, 2, width) + "\nRuns\n";
  for (const JobReport& run : report.runs) text += wrap(run.trace + ": " + run.verdict.sentence, 2, width);
  return text;
}

nlohmann::ordered_json to_json(const RepeatedReport& report) {
  nlohmann::ordered_json json{{"runs", nlohmann::ordered_json::array()}};
  for (const JobReport& run : report.runs) json["runs"].push_back(to_json(run));
  nlohmann::ordered_json repeats{{"runs", report.runs.size()},
                                 {"reference", report.reference},
                                 {"results", nlohmann::ordered_json::array()}};
  for (const RepeatedTechnique& t : report.techniques)
    repeats["results"].push_back({{"technique", t.technique},
                                  {"slots", t.slots},
                                  {"time_ns", to_json(t.time_ns)},
                                  {"time_ratio", to_json(t.time_ratio)},
                                  {"gap_closed", to_json(t.gap_closed)},
                                  {"network_wait_ns", to_json(t.network_wait_ns)},
                                  {"rank_wait_ns", to_json(t.rank_wait_ns)}});
  repeats["bounds"] = {{"no_network_ns", to_json(report.no_network_ns)},
                       {"uncontended_ns", to_json(report.uncontended_ns)},
                       {"ideal_ns", to_json(report.ideal_ns)}};
  repeats["verdict"] = {
      {"technique", report.technique}, {"slots", report.slots}, {"sentence", report.sentence}};
  json["repeats"] = std::move(repeats);
  return json;
}

}  // namespace hybrid
