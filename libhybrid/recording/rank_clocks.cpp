#include "libhybrid/recording/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hybrid {

namespace {

constexpr int kFractionBits = 44;                  // 2 ps after three hours of a 3 GHz counter
constexpr std::uint64_t kSlowestRate = 1'000'000;  // a slower one would overflow RankClocks::Line::factor
constexpr std::int64_t kSameClockNs = 10'000'000;
__extension__ typedef unsigned __int128 Wide;  // products of 64-bit ticks and rates

template <typename T>
T median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Wall-clock time at `ticks` by one process's reading, relative to epoch_ns.
std::int64_t wall_ns(const ClockReading& reading, std::uint64_t rate, std::uint64_t ticks,
                     std::uint64_t epoch_ns) {
  const auto elapsed = static_cast<std::int64_t>(ticks - reading.origin_ticks);
  const long double ns = static_cast<long double>(elapsed) * 1e9L / static_cast<long double>(rate);
  return static_cast<std::int64_t>(reading.origin_ns - epoch_ns) + std::llround(ns);
}

std::uint64_t common_rate(const std::vector<ClockReading>& readings,
                          const std::vector<std::uint32_t>& processes) {
  std::vector<std::uint64_t> rates;
  for (const std::uint32_t p : processes)
    if (readings[p].ticks_per_second != 0) rates.push_back(readings[p].ticks_per_second);
  return rates.empty() ? 1'000'000'000 : std::max(median(std::move(rates)), kSlowestRate);
}

}  // namespace

Time RankClocks::Line::at(std::uint64_t ticks) const {
  const bool before = ticks < origin_ticks;
  const std::uint64_t elapsed = before ? origin_ticks - ticks : ticks - origin_ticks;
  const auto ps = static_cast<std::int64_t>(static_cast<Wide>(elapsed) * factor >> kFractionBits);
  return {origin.ps + (before ? -ps : ps)};
}

RankClocks::Line RankClocks::fit(const std::vector<ClockReading>& readings,
                                 const std::vector<std::uint32_t>& processes, std::uint64_t epoch_ns) {
  const std::uint64_t rate = common_rate(readings, processes);
  Line line;
  line.origin_ticks = readings[processes.front()].origin_ticks;
  line.factor = static_cast<std::uint64_t>((static_cast<Wide>(1'000'000'000'000) << kFractionBits) / rate);
  std::vector<std::int64_t> origins;
  origins.reserve(processes.size());
  for (const std::uint32_t p : processes)
    origins.push_back(wall_ns(readings[p], rate, line.origin_ticks, epoch_ns));
  line.origin = nanoseconds(median(std::move(origins)));
  return line;
}

RankClocks::RankClocks(const std::vector<ClockReading>& readings) : domain_of_(readings.size()) {
  std::map<std::string, std::vector<std::uint32_t>> hosts;
  for (std::uint32_t p = 0; p < readings.size(); ++p) {
    if (readings[p].origin_ns == 0) continue;  // it left no journal
    hosts[readings[p].host].push_back(p);
    epoch_ns_ = epoch_ns_ == 0 ? readings[p].origin_ns : std::min(epoch_ns_, readings[p].origin_ns);
  }
  for (const auto& [host, processes] : hosts) {
    const std::uint64_t rate = common_rate(readings, processes);
    const std::uint64_t ticks = readings[processes.front()].origin_ticks;
    std::vector<std::int64_t> at;
    at.reserve(processes.size());
    for (const std::uint32_t p : processes) at.push_back(wall_ns(readings[p], rate, ticks, epoch_ns_));
    const std::int64_t middle = median(at);
    std::vector<std::uint32_t> together;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (std::abs(at[i] - middle) <= kSameClockNs) {
        domain_of_[processes[i]] = domains();
        together.push_back(processes[i]);
      }
    }
    lines_.push_back(fit(readings, together, epoch_ns_));
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (std::abs(at[i] - middle) <= kSameClockNs) continue;
      domain_of_[processes[i]] = domains();
      lines_.push_back(fit(readings, {processes[i]}, epoch_ns_));
    }
  }
  if (lines_.empty() && !readings.empty()) lines_.emplace_back();
}

}  // namespace hybrid
