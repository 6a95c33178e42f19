#include "libhybrid/report/comparison.h"

#include <algorithm>

#include "libhybrid/report/terminal_text.h"

namespace hybrid {

namespace {

double ratio(Time reference, Time own) {
  return own.ps == 0 ? (reference.ps == 0 ? 1.0 : 0.0)
                     : static_cast<double>(reference.ps) / static_cast<double>(own.ps);
}

}  // namespace

std::optional<double> gap_closed(Time wormhole, Time ideal, Time own) {
  const auto gap = static_cast<double>((wormhole - ideal).ps);
  if (gap <= 0 || gap < kLeastGap * static_cast<double>(wormhole.ps)) return std::nullopt;
  return static_cast<double>((wormhole - own).ps) / gap;
}

std::string gap_text(const std::optional<double>& gap) {
  if (!gap) return "-";
  if (*gap > kMostGap) return "above 1000 %";
  return *gap < -kMostGap ? "below -1000 %" : percent(*gap);
}

Time wait_in(const CallWaits& waits, const SourceCall& call) {
  const auto found = waits.find(call);
  return found == waits.end() ? Time{} : found->second;
}

const TechniqueResult* find_technique(const std::vector<TechniqueResult>& results,
                                      std::string_view technique) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const TechniqueResult& r) {
    return r.measures.technique == technique;
  });
  return found == results.end() ? nullptr : &*found;
}

void compare(std::vector<TechniqueResult>& results, const JobBounds& bounds) {
  if (bounds.no_network)
    for (TechniqueResult& r : results) {
      const Time all = r.measures.communication_time;
      r.rank_wait = std::min(all, bounds.no_network->communication);
      r.network_wait = all - *r.rank_wait;
    }
  const TechniqueResult* const wormhole = find_technique(results, "wormhole");
  if (wormhole == nullptr) return;
  const Time time = wormhole->measures.time, communication = wormhole->measures.communication_time;
  for (TechniqueResult& r : results) {
    r.speedup = ratio(time, r.measures.time);
    r.communication_ratio = ratio(communication, r.measures.communication_time);
    if (bounds.ideal) r.gap_closed = gap_closed(time, bounds.ideal->time, r.measures.time);
  }
}

}  // namespace hybrid
