#include "predictor/phase_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/random.h"
#include "predictor/use_history.h"

namespace hybrid {
namespace {

using Cut = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

double cost(const UseHistory::Timeline& timeline, const std::vector<bool>& strays,
            const std::vector<double>& shares, double price, const Cut& cut) {
  double total = 0;
  for (const auto& [first, last] : cut) {
    std::size_t size = 0;
    for (std::size_t u = 0; u < timeline.uses.size(); ++u) {
      bool used = false;
      for (std::uint32_t w = first; w <= last; ++w)
        used |= (timeline.uses[u].windows[w / kWordBits] & bit_of(w)) != 0;
      size += used && !strays[u] ? 1 : 0;
    }
    total += static_cast<double>(size) * (shares[last + 1] - shares[first] + price);
  }
  return total;
}

TEST(CheapestCut, IsTheBestOfAllCuts) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::size_t windows = 1 + random.below(9);
    UseHistory::Timeline timeline;
    for (std::size_t w = 0; w < windows; ++w)
      timeline.windows.push_back({Time{}, Time{}, 1 + random.below(20), 0});
    std::vector<bool> strays;
    for (std::uint64_t u = 1 + random.below(8); u > 0; --u) {
      UseHistory::Use use{{static_cast<Port>(u), 0}, 1, {}};
      use.windows[0] = 1 + random.below((std::uint64_t{1} << windows) - 1);
      timeline.uses.push_back(use);
      strays.push_back(random.below(8) == 0);
    }
    const double price = 0.02 + 0.3 * random.fraction();
    const std::vector<double> shares = cumulative_shares(timeline);
    ASSERT_NEAR(shares.back(), 1.0, 1e-12);

    double best = std::numeric_limits<double>::infinity();
    for (std::uint64_t borders = 0; borders < std::uint64_t{1} << (windows - 1); ++borders) {
      Cut cut{{0, 0}};
      for (std::uint32_t w = 1; w < windows; ++w) {
        if ((borders >> (w - 1) & 1) != 0) cut.emplace_back(w, w);
        cut.back().second = w;
      }
      best = std::min(best, cost(timeline, strays, shares, price, cut));
    }
    const Cut found = cheapest_cut(timeline, strays, shares, price);
    EXPECT_NEAR(cost(timeline, strays, shares, price, found), best, 1e-9) << "seed " << seed;
    EXPECT_EQ(found.front().first, 0u);
    EXPECT_EQ(found.back().second + 1, windows);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i].first, found[i - 1].second + 1);
  }
}

using Stretch = PhasePartition::Stretch;

// A timeline in which connection u belongs to phase u % phases, and is used in half of the windows of its
// phase and in one of twenty other windows.
UseHistory::Timeline alternating(const std::vector<std::uint32_t>& phase_of, std::uint32_t phases,
                                 std::uint32_t connections, Random& random) {
  UseHistory::Timeline timeline;
  timeline.windows.resize(phase_of.size());
  for (std::uint32_t u = 0; u < connections; ++u) {
    UseHistory::Use& use = timeline.uses.emplace_back(UseHistory::Use{{u, u}, 0, {}});
    for (std::size_t w = 0; w < phase_of.size(); ++w) {
      if (random.below(20) >= (phase_of[w] == u % phases ? 10u : 1u)) continue;
      use.windows[w / kWordBits] |= bit_of(w);
      ++use.messages;
      ++timeline.windows[w].messages;
    }
  }
  return timeline;
}

// Wider windows of eight. The phases change anywhere in them, and the stretches are wrong by up to three
// windows.
TEST(MoveBorders, FindsThePhaseBorders) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    constexpr std::size_t kWide = 8;
    std::vector<std::uint32_t> phase_of;
    std::vector<std::size_t> changes, window_of;
    std::vector<Stretch> stretches;
    for (std::uint32_t i = 0; i < 5; ++i) {
      changes.push_back(phase_of.size());
      phase_of.resize(phase_of.size() + 70 + random.below(30), i % 2);
      const auto wrong = static_cast<std::uint32_t>(i == 0 ? 0 : random.below(6));
      const auto begin = static_cast<std::uint32_t>(changes.back() / kWide);
      stretches.push_back({i == 0 ? 0 : begin + wrong - 2, 0, i % 2});
    }
    for (std::size_t w = 0; w < phase_of.size(); ++w) window_of.push_back(w / kWide);
    for (std::size_t i = 0; i + 1 < stretches.size(); ++i) stretches[i].last = stretches[i + 1].first - 1;
    stretches.back().last = static_cast<std::uint32_t>(window_of.back());

    const auto timeline = alternating(phase_of, 2, 60, random);
    const std::vector<std::size_t> before = window_of;
    move_borders(timeline, window_of, stretches);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const auto begin = std::lower_bound(window_of.begin(), window_of.end(), stretches[i].first);
      EXPECT_EQ(static_cast<std::size_t>(begin - window_of.begin()), changes[i]) << "seed " << seed;
    }
    // The number of windows before, plus one for each border inside a window.
    for (std::size_t w = 1; w < window_of.size(); ++w) {
      const bool at_border = std::find(changes.begin(), changes.end(), w) != changes.end();
      EXPECT_EQ(window_of[w] - window_of[w - 1], before[w] != before[w - 1] || at_border ? 1u : 0u);
    }
  }
}

// For any uses, the stretches cover all windows in order, and none is lost.
TEST(MoveBorders, KeepsEveryStretch) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t windows = 1 + random.below(30);
    std::vector<std::uint32_t> phase_of(windows);
    for (std::uint32_t& phase : phase_of) phase = static_cast<std::uint32_t>(random.below(3));
    std::vector<std::size_t> window_of{0};
    while (window_of.size() < windows) window_of.push_back(window_of.back() + random.below(2));
    std::vector<Stretch> stretches{{0, 0, 0}};
    for (std::uint32_t w = 1; w <= window_of.back(); ++w) {
      if (random.below(3) == 0)
        stretches.push_back({w, w, stretches.back().phase == 0 ? 1 + w % 2 : 0});
      else
        stretches.back().last = w;
    }
    const auto timeline = alternating(phase_of, 3, 7, random);
    const std::vector<Stretch> before = stretches;
    move_borders(timeline, window_of, stretches);
    ASSERT_EQ(stretches.size(), before.size());
    EXPECT_EQ(stretches.front().first, 0u);
    EXPECT_EQ(stretches.back().last, window_of.back());
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      EXPECT_EQ(stretches[i].phase, before[i].phase);
      EXPECT_LE(stretches[i].first, stretches[i].last);
      if (i > 0) {
        EXPECT_EQ(stretches[i].first, stretches[i - 1].last + 1);
      }
    }
    for (std::size_t w = 1; w < windows; ++w) EXPECT_LE(window_of[w] - window_of[w - 1], 1u);
  }
}

}  // namespace
}  // namespace hybrid
