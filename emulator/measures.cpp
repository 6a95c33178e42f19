#include "emulator/measures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace hybrid {

namespace {

// Buckets: 64 of width 1 for 0 .. 63, then 64 for each doubling, [2^e, 2^(e+1)) having the width 2^(e-6).
constexpr std::uint64_t kPerDoubling = 64;
constexpr unsigned kExponent = 6;  // of kPerDoubling

std::size_t bucket_of(std::uint64_t ps) {
  if (ps < kPerDoubling) return ps;
  const auto shift = static_cast<unsigned>(std::bit_width(ps)) - 1 - kExponent;
  return (shift + 1) * kPerDoubling + (ps >> shift) - kPerDoubling;
}

/// The largest value of a bucket.
std::uint64_t last_of(std::size_t bucket) {
  if (bucket < kPerDoubling) return bucket;
  const std::size_t shift = bucket / kPerDoubling - 1;
  return ((bucket % kPerDoubling + kPerDoubling + 1) << shift) - 1;
}

}  // namespace

void LatencyHistogram::add(Time latency) {
  if (latency < Time{}) throw std::logic_error("negative latency");
  const auto ps = static_cast<std::uint64_t>(latency.ps);
  ++buckets_[bucket_of(ps)];
  ++count_;
  sum_ += ps;
  minimum_ = std::min(minimum_, latency);
  maximum_ = std::max(maximum_, latency);
}

Time LatencyHistogram::mean() const {
  if (count_ == 0) return {};
  return {static_cast<std::int64_t>((sum_ + count_ / 2) / count_)};
}

Time LatencyHistogram::quantile(double fraction) const {
  if (count_ == 0) return {};
  if (fraction <= 0) return minimum_;
  if (fraction >= 1) return maximum_;
  // Rounding of the product must not add one message: 0.07 * 100 is slightly above 7.
  const double wanted = std::ceil(fraction * static_cast<double>(count_) * (1 - 0x1p-50));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  return std::clamp(Time{static_cast<std::int64_t>(last_of(bucket))}, minimum_, maximum_);
}

void Measures::set_utilisation(BitRate link_rate) {
  const auto of = [&](Bytes payload, Time over) {
    const double capacity = over.seconds() * static_cast<double>(nodes) * static_cast<double>(link_rate);
    return capacity > 0 ? static_cast<double>(payload) * 8 / capacity : 0.0;
  };
  utilisation = of(bytes, time);
  for (PhaseMeasures& phase : phases) phase.utilisation = of(phase.bytes, phase.time);
}

PortSpread Measures::spread(Bytes PortTraffic::* direction) const {
  if (nodes == 0) return {};
  // Ports without traffic may be missing at the end of the list.
  Bytes least = ports.size() < nodes ? 0 : ~Bytes{0}, largest = 0;
  for (const PortTraffic& port : ports) {
    least = std::min(least, port.*direction);
    largest = std::max(largest, port.*direction);
  }
  return {port_utilisation(least), utilisation, port_utilisation(largest)};
}

std::uint32_t PhaseAccount::add(std::string name) {
  phases_.emplace_back().name = std::move(name);
  times_.push_back(0);
  return static_cast<std::uint32_t>(phases_.size() - 1);
}

std::vector<PhaseMeasures> PhaseAccount::finish(std::uint64_t members) const {
  std::vector<PhaseMeasures> result;
  Sum before = 0;
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const Sum after = before + times_[i];
    if (phases_[i].messages != 0 || times_[i] != 0) {
      PhaseMeasures& phase = result.emplace_back(phases_[i]);
      const Sum n = members == 0 ? 1 : static_cast<Sum>(members);
      phase.time = {static_cast<std::int64_t>(after / n - before / n)};
    }
    before = after;
  }
  return result;
}

}  // namespace hybrid
