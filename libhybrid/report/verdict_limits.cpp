#include "libhybrid/report/verdict_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/registry.h"
#include "core/units.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

namespace {

const TechniqueResult* find_pick(const Verdict& verdict, const std::vector<TechniqueResult>& results) {
  const auto found = std::ranges::find_if(results, [&](const TechniqueResult& r) {
    return r.measures.technique == verdict.technique && r.measures.slots == verdict.slots;
  });
  return found == results.end() ? nullptr : &*found;
}

double saving(Time reference, const std::vector<TechniqueResult>& results, Time uncontended) {
  if (reference.ps == 0) return 0;
  Time least = std::min(uncontended, reference);
  for (const Contender& c : contenders(results)) least = std::min(least, c.time);
  return static_cast<double>((reference - least).ps) / static_cast<double>(reference.ps);
}

std::optional<LongWorms> judge_long_worms(const Verdict& verdict, const std::vector<TechniqueResult>& results,
                                          const JobBounds& bounds, std::uint32_t slots_needed,
                                          const LongWormRun& run) {
  LongWorms long_worms;
  std::vector<Contender> all;
  const TechniqueResult* const pick = find_pick(verdict, results);
  for (const TechniqueResult& r : results) {
    const std::string& technique = r.measures.technique;
    if (is_bound(technique)) continue;
    all.push_back(contender(r.measures));
    const bool wormhole = technique == "wormhole";
    // Like with like: the pick has longer worms, too.
    if (!wormhole && (&r != pick || !uses_option(Technique::kKind, technique, "worm-limit"))) continue;
    const std::optional<Measures> measures = run(r.measures);
    if (!measures) return std::nullopt;
    all.back() = contender(*measures);
    if (!wormhole) continue;
    long_worms.wormhole = measures->time;
    if (bounds.ideal) long_worms.gap_closed = gap_closed(r.measures.time, bounds.ideal->time, measures->time);
  }
  long_worms.verdict = judge(all, slots_needed);
  long_worms.changes_verdict = long_worms.verdict.technique != verdict.technique ||
                               long_worms.verdict.slots != verdict.slots ||
                               long_worms.verdict.tie != verdict.tie;
  return long_worms;
}

std::string name(const Verdict& verdict) {
  return verdict.slots == 0 ? verdict.technique
                            : fmt::format("{} with K = {}", verdict.technique, verdict.slots);
}

std::string long_worms_sentence(const LongWorms& worms, Bytes worm_limit) {
  std::string sentence =
      worms.changes_verdict
          ? fmt::format(" This depends on --worm-limit: with {} instead of {} wormhole takes {}",
                        format_bytes(worms.worm_limit), format_bytes(worm_limit), short_time(worms.wormhole))
          : fmt::format(" With --worm-limit {} instead of {} wormhole takes {}",
                        format_bytes(worms.worm_limit), format_bytes(worm_limit), short_time(worms.wormhole));
  if (worms.gap_closed && *worms.gap_closed > kMostGap)
    sentence += ", which is faster than ideal";
  else if (worms.gap_closed)
    sentence += *worms.gap_closed >= kLeastShown
                    ? fmt::format(", which closes {} of its gap to ideal", in_percent(*worms.gap_closed))
                    : ", which does not reduce its gap to ideal";
  if (!worms.changes_verdict) return sentence + ", and the verdict is the same.";
  if (worms.verdict.tie) return sentence + "; then no technique differs by more than 1 %.";
  return sentence + fmt::format("; then {} suits the job.", name(worms.verdict));
}

}  // namespace

VerdictLimits limits_of(const Verdict& verdict, const std::vector<TechniqueResult>& results,
                        const JobBounds& bounds, Bytes worm_limit, std::uint32_t slots_needed,
                        const LongWormRun& run) {
  VerdictLimits limits;
  limits.worm_limit = worm_limit;
  const TechniqueResult* const wormhole = find_technique(results, "wormhole");
  const TechniqueResult* const reference = wormhole != nullptr ? wormhole : find_pick(verdict, results);
  if (verdict.technique.empty() || reference == nullptr || !bounds.uncontended) return limits;
  limits.reference = reference->measures.technique;
  limits.largest_saving = saving(reference->measures.time, results, bounds.uncontended->time);
  if (wormhole != nullptr && contenders(results).size() > 1 && *limits.largest_saving > kTie &&
      worm_limit < kLongWorms)
    limits.long_worms = judge_long_worms(verdict, results, bounds, slots_needed, run);
  return limits;
}

std::string limits_text(const VerdictLimits& limits) {
  std::string text;
  if (limits.largest_saving)
    text += fmt::format(" No switch can save more than {} of the job's time with {}.",
                        *limits.largest_saving > kTie ? in_percent(*limits.largest_saving) : "1 %",
                        limits.reference);
  if (limits.long_worms) text += long_worms_sentence(*limits.long_worms, limits.worm_limit);
  return text;
}

}  // namespace hybrid
