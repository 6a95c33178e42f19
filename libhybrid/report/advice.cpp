#include "libhybrid/report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/fabric.h"
#include "emulator/limits.h"
#include "emulator/network/technique.h"
#include "libhybrid/placement/traffic_placement.h"
#include "libhybrid/report/connection_traffic.h"
#include "libhybrid/report/report_text.h"

namespace hybrid {

namespace {

constexpr std::size_t kShareVariants = 4;  // most configurations for one share of a packet plane
constexpr std::size_t kBounds = 3, kLongWormRuns = 2;

// Networks with which the job takes so many times as long as with wormhole are not emulated to the end: the
// emulation of a fabric that reconfigures in milliseconds would take longer than that of all others.
constexpr std::int64_t kHopeless = 10;

constexpr std::int64_t kLeastSlotWords = 10;  // as the default slot

// The search of one technique.
struct Candidate {
  DesignSpace space;
  DesignSearch search;
  std::map<DesignPoint, Measures> results{};
  std::string refusal{};    // the first reason for an impossible point
  bool is_refused = false;  // by check()
  bool of_trace = false;    // by the operations of the trace
  bool is_complete = true;
  Time fastest{}, least{};  // before any value was simplified, and before K was
  std::optional<DesignPoint> chosen{};
};

using PointsOf = std::function<std::vector<DesignPoint>(Candidate&)>;

class Adviser {
 public:
  Adviser(JobEmulator& job, const AdviceRequest& request, const ProgressNote& note)
      : job_(job), request_(request), note_(note) {}

  Advice advise();

 private:
  std::vector<EmulatedRun> emulate(const std::vector<SwitchParameters>& runs, const char* what);
  bool evaluate(std::size_t budget, const PointsOf& wanted);
  void search(std::size_t budget);
  void simplify(DesignDimension dimension, double tolerance, std::size_t budget);
  void choose(const Candidate& candidate);
  void judge_all();
  void find_shares();
  std::vector<RankPlacement> other_placements() const;
  void try_placements();
  std::vector<SwitchParameters> share_variants(const SwitchParameters& best, Time reconfiguration);

  JobEmulator& job_;
  const AdviceRequest& request_;
  const ProgressNote& note_;
  std::vector<Candidate> candidates_;
  std::vector<RankPlacement> placements_;  // to try at the end
  Advice advice_;
  std::size_t expected_ = request_.budget;  // most emulations, as far as known
};

std::vector<EmulatedRun> Adviser::emulate(const std::vector<SwitchParameters>& runs, const char* what) {
  // One progress for all emulations: those of one call may be too short for a rate.
  const std::uint64_t before = advice_.emulations * job_.operations(), all = expected_ * job_.operations();
  const std::string text =
      fmt::format("{} after {} of at most {} emulations", what, advice_.emulations, expected_);
  advice_.emulations += runs.size();
  return job_.emulate(runs, what, [&](std::string_view, const Progress& progress) {
    Progress of_all{before + progress.done, all};
    of_all.estimate = progress.estimate * static_cast<double>(expected_) / static_cast<double>(runs.size());
    return note_ && note_(text, of_all) && before == 0;  // an estimate before the first emulations only
  });
}

// Emulates the points that `wanted` gives for each candidate, as many as `budget`, the emulations until now
// included, allows. Returns whether there were points, and all were emulated.
bool Adviser::evaluate(std::size_t budget, const PointsOf& wanted) {
  std::vector<std::pair<Candidate*, DesignPoint>> points;
  std::vector<SwitchParameters> runs;
  bool any = false, is_cut = request_.expired && request_.expired();
  for (Candidate& c : candidates_)
    for (const DesignPoint& point : wanted(c)) {
      any = true;
      SwitchParameters parameters = c.space.parameters(job_, point);
      try {
        check(parameters);
      } catch (const UserError& error) {
        if (c.refusal.empty()) {
          c.refusal = in_one_line(error.what());
          c.is_refused = true;
        }
        c.search.learn(point, std::nullopt);
        continue;
      }
      if (is_cut || advice_.emulations + runs.size() >= budget) {
        c.is_complete = false;
        is_cut = true;
        continue;
      }
      points.emplace_back(&c, point);
      runs.push_back(std::move(parameters));
    }
  std::vector<EmulatedRun> results = emulate(runs, "searching");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Candidate& c = *points[r].first;
    EmulatedRun& result = results[r];
    c.search.learn(points[r].second, result.measures ? std::optional(result.measures->time) : std::nullopt);
    if (result.measures) {
      c.results.emplace(points[r].second, std::move(*result.measures));
    } else if (c.refusal.empty()) {
      c.refusal = result.failure;
      c.of_trace = result.of_trace;
    }
  }
  return any && !is_cut;
}

void Adviser::search(std::size_t budget) {
  while (evaluate(budget, [](Candidate& c) { return c.search.wanted(); })) {
  }
}

// Replaces the value of a dimension by the first one of its line that takes at most `tolerance` longer.
void Adviser::simplify(DesignDimension dimension, double tolerance, std::size_t budget) {
  for (Candidate& c : candidates_) {
    const auto best = c.search.best();
    if (!best) continue;
    // K and predictor share one tolerance, so that losses do not add up.
    if (dimension == kSlotCounts || c.least == Time{}) c.least = *c.search.time_of(*best);
    if (c.fastest == Time{}) c.fastest = c.least;
    const double most =
        static_cast<double>((dimension == kShares ? c.fastest : c.least).ps) * (1 + tolerance);
    DesignPoint point = *best;
    for (point[dimension] = 0; point[dimension] < (*best)[dimension]; ++point[dimension]) {
      const auto time = c.search.time_of(point);
      if (!time || static_cast<double>(time->ps) > most) continue;
      c.search.fix(dimension, point);
      break;
    }
  }
  search(budget);
}

// The result of a search.
void Adviser::choose(const Candidate& c) {
  const auto& best = c.chosen;
  if (!best) {
    advice_.failures.push_back(
        c.space.technique + ": " +
        (c.refusal.empty() ? "not emulated, since the budget or the time is spent" : c.refusal));
    return;
  }
  AdvisedTechnique technique;
  technique.result.measures = c.results.at(*best);
  technique.parameters = c.space.parameters(job_, *best);
  technique.result.limited_by = limit_texts(limiting_parts(technique.parameters));
  technique.is_complete = c.is_complete;
  technique.repeat = command_to_repeat(job_.trace(), job_.options(), technique.parameters);
  const auto sizes = c.space.sizes();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    Sensitivity sensitivity{kDesignOptions[d], {}};
    DesignPoint point = *best;
    for (point[d] = 0; point[d] < sizes[d]; ++point[d])
      sensitivity.values.push_back(
          {c.space.value(d, point[d]), c.search.time_of(point), point[d] == (*best)[d]});
    technique.sensitivities.push_back(std::move(sensitivity));
  }
  advice_.techniques.push_back(std::move(technique));
}

void Adviser::judge_all() {
  std::ranges::sort(advice_.techniques, [](const AdvisedTechnique& a, const AdvisedTechnique& b) {
    const Measures &of_a = a.result.measures, &of_b = b.result.measures;
    return of_a.time != of_b.time ? of_a.time < of_b.time : of_a.technique < of_b.technique;
  });
  std::vector<TechniqueResult> results;
  for (const AdvisedTechnique& t : advice_.techniques) results.push_back(t.result);
  advice_.bounds = emulate_bounds(job_.parameters("ideal", job_.options().network.slots), results,
                                  [&](const auto& runs) { return emulate(runs, "emulating the bounds"); });
  compare(results, advice_.bounds);
  for (std::size_t i = 0; i < results.size(); ++i) advice_.techniques[i].result = results[i];

  const auto allowed = techniques_to_search(job_.options());
  std::erase_if(results, [&](const TechniqueResult& r) {
    return std::ranges::find(allowed, r.measures.technique) == allowed.end();
  });
  const AdvisedTechnique* const wormhole = advice_.find("wormhole");
  const bool may_be_wormhole = std::ranges::find(allowed, "wormhole") != allowed.end();
  std::optional<Contender> reference;
  if (wormhole != nullptr && !may_be_wormhole) reference = contender(wormhole->result.measures);
  advice_.verdict = judge(contenders(results), 0, reference ? &*reference : nullptr);
  if (may_be_wormhole && wormhole != nullptr && advice_.bounds.ideal && !advice_.verdict.technique.empty()) {
    const Time time = wormhole->result.measures.time, gap = time - advice_.bounds.ideal->time;
    const double part = time.ps == 0 ? 0 : static_cast<double>(gap.ps) / static_cast<double>(time.ps);
    if (part < kTie) {
      advice_.verdict.technique = "wormhole";
      advice_.verdict.slots = 0;
      advice_.verdict.sentence = "Wormhole is enough: the bound ideal is at most 1 % faster.";
    }
  }
  admit_missing_messages(advice_.verdict, {.recorded = job_.facts()});
  advice_.limits = limits_of(advice_.verdict, results, advice_.bounds, job_.options().network.worm_limit, 0,
                             [&](const Measures& original) -> std::optional<Measures> {
                               SwitchParameters parameters = advice_.find(original.technique)->parameters;
                               parameters.worm_limit = kLongWorms;
                               return emulate({parameters}, "emulating longer worms")[0].measures;
                             });
  advice_.verdict.sentence += limits_text(advice_.limits);
  for (std::size_t i = 0; i < advice_.techniques.size(); ++i)
    if (advice_.techniques[i].result.measures.technique == advice_.verdict.technique) advice_.recommended = i;
}

void Adviser::find_shares() {
  const AdvisedTechnique* const hybrid = advice_.find("hybrid");
  const AdvisedTechnique* const wormhole = advice_.find("wormhole");
  if (hybrid == nullptr || wormhole == nullptr) return;
  const Time reference = wormhole->result.measures.time;
  std::vector<double> shares(kShareSteps.begin(), kShareSteps.end());
  if (request_.named.contains("packet-plane")) shares = {job_.options().network.packet_plane};

  struct Row {
    std::vector<SwitchParameters> variants;  // of which the fastest counts
    std::size_t share = 0;                   // the next one to try
    Time time = Time::never();               // of the fastest variant with the last share
    SwitchParameters fastest;                // that variant
    bool passes = false, is_known = true;
  };
  std::vector<Row> rows;
  expected_ = advice_.emulations;
  for (const Time reconfiguration : request_.reconfigurations) {
    Row row;
    row.variants = share_variants(hybrid->parameters, reconfiguration);
    row.fastest = row.variants.front();
    expected_ += row.variants.size() * shares.size();
    rows.push_back(std::move(row));
  }
  const std::size_t budget = request_.budget - std::min(request_.budget, placements_.size());
  expected_ = std::min(expected_, budget);
  // Shares in ascending order: a larger plane is not always faster, since it carries more messages that would
  // do better to wait for a circuit.
  while (true) {
    std::vector<SwitchParameters> runs;
    std::vector<Row*> row_of_run;
    for (Row& row : rows) {
      if (row.passes || !row.is_known || row.share == shares.size()) continue;
      if (advice_.emulations + runs.size() + row.variants.size() > budget ||
          (request_.expired && request_.expired())) {
        row.is_known = false;
        continue;
      }
      row.time = Time::never();
      row.fastest = row.variants.front();
      row.fastest.packet_plane = shares[row.share];
      for (const SwitchParameters& variant : row.variants) {
        row_of_run.push_back(&row);
        runs.push_back(variant);
        runs.back().packet_plane = shares[row.share];
      }
    }
    if (runs.empty()) break;
    const auto results = emulate(runs, "searching the packet plane");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Row& row = *row_of_run[i];
      if (const auto& m = results[i].measures; m && m->time < row.time) {
        row.time = m->time;
        row.fastest = runs[i];
      }
      if (i + 1 != runs.size() && row_of_run[i + 1] == &row) continue;
      ++row.share;
      row.passes = row.time != Time::never() && static_cast<double>(row.time.ps) <=
                                                    static_cast<double>(reference.ps) * (1 + request_.within);
    }
  }
  for (const Row& row : rows) {
    PacketShare result;
    result.reconfiguration = row.fastest.reconfiguration;
    result.slot_length = row.fastest.slot_length;
    result.slots = row.fastest.slots;
    result.is_known = row.is_known;
    if (row.is_known) {
      result.tried = shares[row.share - 1];
      if (row.passes) result.share = result.tried;
      if (row.time != Time::never()) result.time = row.time;
      result.predictor = row.fastest.predictor;
      if (reference.ps != 0)
        result.over_wormhole = static_cast<double>(result.time.ps) / static_cast<double>(reference.ps);
      result.repeat = command_to_repeat(job_.trace(), job_.options(), row.fastest);
    }
    advice_.shares.push_back(std::move(result));
  }
}

// The configurations that are tried for a packet plane with this time of reconfiguration: what the search
// found suits another fabric best. Without a predictor; with the search's and the options'; and with as many
// slots as the largest phase needs.
std::vector<SwitchParameters> Adviser::share_variants(const SwitchParameters& best, Time reconfiguration) {
  SwitchParameters p = best;
  p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock = Time{};
  p.reconfiguration = reconfiguration;
  if (!request_.named.contains("slot-length")) {
    // Slots for a slower fabric need not be longer than this one's.
    if (reconfiguration < best.fabric_reconfiguration())
      p.slot_length =
          std::min(p.slot_length, std::max(least_slot_length(p), p.word_time() * kLeastSlotWords));
    p.slot_length = std::max(p.slot_length, least_slot_length(p));
  }
  check(p);
  std::vector<SwitchParameters> variants{p};
  const auto add = [&](std::string_view predictor, std::uint32_t slots) {
    p.predictor = predictor;
    p.slots = slots;
    const bool is_known = std::ranges::any_of(variants, [&](const SwitchParameters& v) {
      return v.predictor == p.predictor && v.slots == p.slots;
    });
    if (!is_known) variants.push_back(p);
  };
  const std::string& usual = job_.options().network.predictor;
  if (!request_.named.contains("predictor"))
    for (const std::string_view predictor : {std::string_view("none"), std::string_view(usual)})
      add(predictor, best.slots);
  if (job_.options().slot_counts.empty())
    add(best.predictor == "none" && !request_.named.contains("predictor") ? usual : best.predictor,
        std::max({best.slots, best.preload, std::min(job_.slots_needed(), kMostSlotsTried)}));
  return variants;
}

std::vector<RankPlacement> Adviser::other_placements() const {
  std::map<Connection, Bytes> bytes;
  for (const auto& [connection, operations] : read_traffic(*job_.opener()(), job_.options().replay))
    bytes[connection] = total(operations).bytes;
  return placements_to_try(job_.port_of_rank(), job_.options().network.tree.down, bytes);
}

void Adviser::try_placements() {
  if (advice_.techniques.empty()) return;
  const SwitchParameters& parameters = advice_.techniques[advice_.recommended].parameters;
  for (const RankPlacement& placement : placements_) {
    if (advice_.emulations == request_.budget || (request_.expired && request_.expired())) return;
    JobOptions options = job_.options();
    options.replay.placement = placement.port_of_rank;
    JobEmulator placed(job_.trace(), job_.opener(), options);
    placed.find_phases(note_);
    ++advice_.emulations;
    const auto run = placed.emulate({parameters}, "trying placements", note_);
    advice_.placements.push_back({placement.name, {}, command_to_repeat(job_.trace(), options, parameters)});
    if (run[0].measures) advice_.placements.back().time = run[0].measures->time;
  }
}

Advice Adviser::advise() {
  advice_.trace = job_.trace();
  advice_.left_out = techniques_not_supported(job_.options());
  advice_.ranks = job_.ranks();
  advice_.ports = job_.used_ports();
  advice_.budget = request_.budget;
  advice_.within = request_.within;
  const JobOptions& options = job_.options();

  advice_.has_equal_placements = placements_are_equal(job_.port_of_rank(), options.network.tree.down);
  if (options.replay.placement.empty()) placements_ = other_placements();
  std::vector<std::string> names = techniques_to_search(options);
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(options.techniques, name) != options.techniques.end();
  };
  std::erase(names, "wormhole");
  names.insert(names.begin(), "wormhole");
  std::vector<std::string> predictors;
  if (!request_.named.contains("predictor"))
    predictors = predictors_to_search(job_, options.network.slots, note_);
  // Each row of the table of shares needs up to kShareVariants emulations for each share; all, and the
  // placements, get half of the budget at most.
  const std::size_t share_runs =
      std::ranges::find(names, "hybrid") == names.end()
          ? 0
          : std::min(request_.budget / 2,
                     kShareVariants * request_.reconfigurations.size() * kShareSteps.size());
  const std::size_t others = share_runs + kBounds + kLongWormRuns;
  const std::size_t budget = request_.budget - others;

  std::vector<DesignSpace> spaces;
  std::size_t points = 0;
  for (const std::string& name : names) {
    spaces.push_back(design_space(job_, name, request_.named, predictors));
    points += spaces.back().points();
  }
  if (points <= budget) expected_ = points + others;
  // Wormhole alone first: it limits the emulation of the others.
  for (DesignSpace& space : spaces) {
    DesignSearch search(space.sizes(), space.start, points <= budget ? points : 0);
    candidates_.push_back({std::move(space), std::move(search)});
    if (candidates_.size() > 1) continue;
    this->search(budget);
    if (const auto time = candidates_.front().search.time_of({0, 0, 0, 0}))
      job_.end_after(std::max(*time, microseconds(1)) * kHopeless);
  }
  search(budget);
  // Twice, as the smallest share may depend on the other values.
  for (int pass = 0; pass < 2; ++pass) {
    simplify(kShares, kTie, budget);
    simplify(kSlotCounts, kLeastGap, budget);
    simplify(kPredictors, kLeastGap, budget);
    for (Candidate& c : candidates_) c.chosen = c.search.best();
    evaluate(budget,
             [](Candidate& c) { return c.chosen ? c.search.around(*c.chosen) : std::vector<DesignPoint>{}; });
  }
  for (const Candidate& c : candidates_) {
    if (!c.chosen && c.of_trace) throw UserError(advice_.trace + ": " + c.refusal);
    if (!c.chosen && c.is_refused && is_named(c.space.technique)) throw UserError(c.refusal);
    choose(c);
  }
  judge_all();
  find_shares();
  try_placements();
  return std::move(advice_);
}

}  // namespace

const AdvisedTechnique* Advice::find(std::string_view technique) const {
  const auto found = std::ranges::find_if(
      techniques, [&](const AdvisedTechnique& t) { return t.result.measures.technique == technique; });
  return found == techniques.end() ? nullptr : &*found;
}

const AdvisedTechnique* Advice::varied() const {
  const AdvisedTechnique* result = nullptr;
  for (const AdvisedTechnique& t : techniques) {
    if (t.sensitivities.empty()) continue;
    if (&t == &techniques[recommended]) return &t;
    if (result == nullptr || t.result.measures.time < result->result.measures.time) result = &t;
  }
  return result;
}

Advice advise(const std::string& trace, const TraceOpener& open, const JobOptions& options,
              const AdviceRequest& request, const ProgressNote& note) {
  if (note) note("reading the trace", 0);
  JobEmulator job(trace, open, options);
  job.find_phases(note);
  return Adviser(job, request, note).advise();
}

}  // namespace hybrid
