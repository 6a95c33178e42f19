#include "predictor/phase_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/random.h"
#include "predictor/timeline.h"

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

}  // namespace
}  // namespace hybrid
