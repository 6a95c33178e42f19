#include "emulator/measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

/// The definition, on sorted values: the smallest value that at least `percent` of them do not exceed.
std::int64_t exact_quantile(const std::vector<std::int64_t>& sorted, unsigned percent) {
  const std::size_t rank = (percent * sorted.size() + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

TEST(LatencyHistogram, EmptyIsAllZero) {
  const LatencyHistogram h;
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.mean(), Time{});
  EXPECT_EQ(h.maximum(), Time{});
  EXPECT_EQ(h.quantile(0.5), Time{});
}

TEST(LatencyHistogram, AgreesWithSortingWithinOne64th) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    LatencyHistogram h;
    std::vector<std::int64_t> values;
    const std::size_t n = 1 + random.below(500);
    for (std::size_t i = 0; i < n; ++i) {
      // Every magnitude from 0 to 2^62, so that the buckets of every doubling are used.
      const auto v = static_cast<std::int64_t>(random.bits() >> (2 + random.below(62)));
      values.push_back(v);
      h.add({v});
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(h.count(), n);
    EXPECT_EQ(h.quantile(0).ps, values.front());
    EXPECT_EQ(h.quantile(1).ps, values.back());
    EXPECT_EQ(h.maximum().ps, values.back());
    for (unsigned percent = 1; percent < 100; ++percent) {
      const std::int64_t exact = exact_quantile(values, percent);
      const std::int64_t got = h.quantile(percent / 100.0).ps;
      EXPECT_GE(got, exact) << "seed " << seed << " percent " << percent;
      EXPECT_LE(got - exact, exact / 64) << "seed " << seed << " percent " << percent;
    }
  }
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram h;
  for (std::int64_t v = 0; v < 128; ++v) h.add({v});
  for (int k = 1; k <= 128; ++k) EXPECT_EQ(h.quantile(k / 128.0).ps, k - 1);
}

TEST(LatencyHistogram, MeanIsExactBeyond64Bits) {
  LatencyHistogram h;
  const std::int64_t big = std::numeric_limits<std::int64_t>::max() - 1;
  for (int i = 0; i < 8; ++i) h.add({big});
  EXPECT_EQ(h.mean().ps, big);
  h.add({big - 9});
  EXPECT_EQ(h.mean().ps, big - 1);
  EXPECT_EQ(h.quantile(0.5).ps, big);
}

TEST(LatencyHistogram, RoundingDoesNotAddAMessageToTheQuantile) {
  LatencyHistogram h;
  for (std::int64_t v = 1; v <= 100; ++v) h.add({v <= 7 ? 1 : 1'000'000});
  EXPECT_EQ(h.quantile(0.07).ps, 1);  // 0.07 * 100 > 7 in floating point
  EXPECT_GE(h.quantile(0.0701).ps, 1'000'000);
}

TEST(Measures, PortUtilisationIsAShareOfTheLinkCapacity) {
  Measures m;
  m.nodes = 4;
  m.count_ports(4, {0, 1}, 600);
  m.count_ports(4, {0, 2}, 200);
  m.count_ports(4, {3, 1}, 0);
  m.bytes = 800;
  m.utilisation = 0.1;  // 800 of the 8000 bytes that 4 links can carry in this time, 2000 each
  EXPECT_EQ(m.ports, (std::vector<PortTraffic>{{800, 0}, {0, 600}, {0, 200}, {0, 0}}));
  EXPECT_DOUBLE_EQ(m.out_utilisation().largest, 0.4);
  EXPECT_DOUBLE_EQ(m.out_utilisation().mean, 0.1);
  EXPECT_DOUBLE_EQ(m.out_utilisation().least, 0);
  EXPECT_DOUBLE_EQ(m.in_utilisation().largest, 0.3);
}

TEST(Measures, SlotsAreUsedOrWasted) {
  Measures m;
  EXPECT_EQ(m.slot_occupancy(), 0);  // a technique without slots
  EXPECT_EQ(m.slot_waste(), 0);
  m.statistics.slots_used = 3;
  m.statistics.slots_wasted = 1;
  EXPECT_EQ(m.slot_occupancy(), 0.75);
  EXPECT_EQ(m.slot_waste(), 0.25);
}

}  // namespace
}  // namespace hybrid
