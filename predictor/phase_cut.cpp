#include "predictor/phase_cut.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace hybrid {

namespace {

// The number of connections used in windows first .. last, for all intervals at once. The unused connections
// of an interval are easier to count: the interval is inside one of the connection's gaps (runs of windows
// without use). Each gap is counted at (begin, end), and an interval sums the gaps that begin no later and
// end no earlier.
class WorkingSetSizes {
 public:
  WorkingSetSizes(const UseHistory::Timeline& timeline, const std::vector<bool>& strays)
      : windows_(timeline.windows.size()), unused_(windows_ * windows_) {
    for (std::size_t u = 0; u < timeline.uses.size(); ++u) {
      if (strays[u]) continue;
      ++connections_;
      std::size_t gap = 0;
      for_each_port(timeline.uses[u].windows, [&](std::size_t w) {
        if (w > gap) ++at(gap, w - 1);
        gap = w + 1;
      });
      if (gap < windows_) ++at(gap, windows_ - 1);
    }
    for (std::size_t first = 0; first < windows_; ++first)
      for (std::size_t last = windows_ - 1; last-- > 0;) at(first, last) += at(first, last + 1);
    for (std::size_t first = 1; first < windows_; ++first)
      for (std::size_t last = 0; last < windows_; ++last) at(first, last) += at(first - 1, last);
  }
  double operator()(std::size_t first, std::size_t last) const {
    return static_cast<double>(connections_ - unused_[first * windows_ + last]);
  }

 private:
  std::uint32_t& at(std::size_t first, std::size_t last) { return unused_[first * windows_ + last]; }

  std::size_t windows_;
  std::uint32_t connections_ = 0;
  std::vector<std::uint32_t> unused_;
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> cheapest_cut(const UseHistory::Timeline& timeline,
                                                                  const std::vector<bool>& strays,
                                                                  const std::vector<double>& shares,
                                                                  double price) {
  const std::size_t windows = timeline.windows.size();
  const WorkingSetSizes size(timeline, strays);
  // cost[w]: cost of the best cut of windows 0 .. w-1; its last stretch begins at begin[w].
  std::vector<double> cost(windows + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(windows + 1);
  cost[0] = 0;
  for (std::size_t end = 1; end <= windows; ++end) {
    for (std::size_t first = 0; first < end; ++first) {
      const double total = cost[first] + size(first, end - 1) * (shares[end] - shares[first] + price);
      if (total < cost[end] * (1 - 1e-12)) {  // rounding errors cause no cut
        cost[end] = total;
        begin[end] = first;
      }
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cut;
  for (std::size_t end = windows; end > 0; end = begin[end])
    cut.emplace_back(static_cast<std::uint32_t>(begin[end]), static_cast<std::uint32_t>(end - 1));
  std::reverse(cut.begin(), cut.end());
  return cut;
}

namespace {

using Timeline = UseHistory::Timeline;

// Limit on the distance that a border moves, in windows.
constexpr std::size_t kReach = 4;
// Limit on the number of rounds: moved borders change the rates, which move borders again, rarely more than
// three times.
constexpr int kRounds = 10;

// The rate of use of each connection in each phase.
class Rates {
 public:
  // `begins`: the first window of each stretch.
  Rates(const Timeline& fine, const std::vector<std::size_t>& begins,
        const std::vector<PhasePartition::Stretch>& stretches) {
    std::vector<std::uint32_t> phase_of(fine.windows.size());  // by window
    for (std::size_t i = 0; i < begins.size(); ++i) {
      phases_ = std::max(phases_, stretches[i].phase + std::size_t{1});
      std::fill(phase_of.begin() + static_cast<std::ptrdiff_t>(begins[i]), phase_of.end(),
                stretches[i].phase);
    }
    std::vector<double> windows(phases_);
    for (std::uint32_t phase : phase_of) ++windows[phase];
    rates_.resize(fine.uses.size() * phases_);
    for (std::size_t u = 0; u < fine.uses.size(); ++u) {
      double* rates = &rates_[u * phases_];
      for_each_port(fine.uses[u].windows, [&](std::size_t w) { ++rates[phase_of[w]]; });
      // Half a use is added, so that a use that did not occur is improbable, not impossible.
      for (std::size_t p = 0; p < phases_; ++p) rates[p] = (rates[p] + 0.5) / (windows[p] + 1);
    }
  }
  // Uses per window.
  double operator()(std::size_t use, std::size_t phase) const { return rates_[use * phases_ + phase]; }

 private:
  std::size_t phases_ = 0;
  std::vector<double> rates_;  // [use][phase]
};

// The most likely first window of phase `after`, which follows phase `before`, among from .. to. `now` is the
// current one.
std::size_t most_likely(const Timeline& fine, const Rates& rates, std::size_t before, std::size_t after,
                        std::size_t from, std::size_t now, std::size_t to) {
  // By window: logarithm of the ratio of its likelihoods in `before` and in `after`.
  std::vector<double> gain(to - from);
  double unused = 0;  // for a window without sends
  for (std::size_t u = 0; u < fine.uses.size(); ++u) {
    unused += rates(u, after) - rates(u, before);
    const double used = std::log(rates(u, before) / rates(u, after));
    for (std::size_t w = from; w < to; ++w)
      if ((fine.uses[u].windows[w / kWordBits] & bit_of(w)) != 0) gain[w - from] += used;
  }
  std::size_t best = from;
  double likelihood = 0, most = 0;
  const auto distance = [now](std::size_t w) { return w < now ? now - w : w - now; };
  for (std::size_t border = from + 1; border <= to; ++border) {
    likelihood += gain[border - 1 - from] + unused;
    if (likelihood > most || (likelihood == most && distance(border) < distance(best))) {
      best = border;
      most = likelihood;
    }
  }
  return best;
}

}  // namespace

void move_borders(const Timeline& fine, std::vector<std::size_t>& window_of,
                  std::vector<PhasePartition::Stretch>& stretches) {
  const auto begin_of = [&](std::size_t window) {
    const auto first = std::lower_bound(window_of.begin(), window_of.end(), window);
    return static_cast<std::size_t>(first - window_of.begin());
  };
  // The first fine window of each stretch, and the range in which it may move.
  std::vector<std::size_t> begins, earliest, latest;
  for (const PhasePartition::Stretch& s : stretches) {
    begins.push_back(begin_of(s.first));
    earliest.push_back(begin_of(s.first - std::min<std::size_t>(s.first, kReach)));
    latest.push_back(begin_of(s.first + kReach) - 1);
  }
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::size_t> before = begins;
    const Rates rates(fine, begins, stretches);
    for (std::size_t i = 1; i < begins.size(); ++i) {
      const std::size_t next = i + 1 < begins.size() ? begins[i + 1] : window_of.size();
      begins[i] =
          most_likely(fine, rates, stretches[i - 1].phase, stretches[i].phase,
                      std::max(begins[i - 1] + 1, earliest[i]), begins[i], std::min(next - 1, latest[i]));
    }
    if (begins == before) break;
  }
  std::vector<std::size_t> split(window_of.size());
  std::size_t window = 0, stretch = 0;
  for (std::size_t w = 0; w < split.size(); ++w) {
    const bool at_border = stretch + 1 < begins.size() && begins[stretch + 1] == w;
    if (w > 0 && (at_border || window_of[w] != window_of[w - 1])) ++window;
    if (at_border) stretches[++stretch].first = static_cast<std::uint32_t>(window);
    stretches[stretch].last = static_cast<std::uint32_t>(window);
    split[w] = window;
  }
  window_of = std::move(split);
}

}  // namespace hybrid
