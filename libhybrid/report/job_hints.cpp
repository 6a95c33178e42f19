#include "libhybrid/report/job_hints.h"

#include <algorithm>

#include "core/hints/notes.h"

namespace hybrid {

PhaseHints hints_of(const std::string& source, const std::string& trace, const TraceOpener& open,
                    const std::vector<Phase>& phases) {
  if (source == kRecordedHints) {
    PhaseHints recorded = read_recorded_hints(*open());
    if (recorded.phases.empty())
      throw NoHints(trace + ": the program gave no hints while it was recorded",
                    "Compile it with hybridcc, hybridcxx or hybridfort and record it again, or name a binary "
                    "that has hints.");
    return recorded;
  }
  const std::vector<HintUnit> units = read_hint_units(source);
  if (units.empty())
    throw UserError(source + ": contains no hints",
                    "Compile and link it with hybridcc, hybridcxx or hybridfort.");
  PhaseHints hints = evaluate_hints(units, open()->ranks());
  const auto is_known = [&](const Phase& phase) {
    return hints.phases.contains(phase.name) || hints.unknown.contains(phase.name);
  };
  if (std::none_of(phases.begin(), phases.end(), is_known))
    throw NoHints(trace + ": has no phase for which " + source + " contains hints",
                  "Record a program that was compiled with hints; `hybrid hints` lists its phases.");
  return hints;
}

std::vector<std::string> gaps_of(const PhaseHints& hints, const std::vector<Phase>& phases) {
  std::vector<std::string> gaps;
  for (const Phase& phase : phases)
    if (const auto found = hints.unknown.find(phase.name); found != hints.unknown.end())
      gaps.push_back("The hints of phase " + phase.name + " are incomplete: " + found->second + ".");
  return gaps;
}

}  // namespace hybrid
