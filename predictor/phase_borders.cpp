#include "predictor/phase_borders.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hybrid {

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
