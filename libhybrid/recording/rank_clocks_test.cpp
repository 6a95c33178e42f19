#include "libhybrid/recording/rank_clocks.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

constexpr std::uint64_t kNow = 1'700'000'000'000'000'000;

// Time 0 is the earliest origin. Two hosts have counters of 1 GHz.
TEST(RankClocks, AlignsHostsByTheirWallClocks) {
  const RankClocks clocks({{"a", 1'000'000'000, 5'000, kNow + 300}, {"b", 1'000'000'000, 70, kNow}});
  EXPECT_EQ(clocks.domains(), 2u);
  EXPECT_EQ(clocks.epoch_ns(), kNow);
  EXPECT_EQ(clocks.at(0, 5'010), nanoseconds(310));
  EXPECT_EQ(clocks.at(1, 90), nanoseconds(20));
}

TEST(RankClocks, IgnoresAProcessWithoutAReading) {
  const ClockReading none{"a", 0, 0, 0};
  const RankClocks clocks({none, {"a", 1'000'000'000, 5'000, kNow}, {"b", 0, 0, 0}});
  EXPECT_EQ(clocks.domains(), 1u);
  EXPECT_EQ(clocks.epoch_ns(), kNow);
  EXPECT_EQ(clocks.at(1, 5'100), nanoseconds(100));
  EXPECT_EQ(clocks.domain(2), 0u);
  EXPECT_EQ(RankClocks({none}).epoch_ns(), 0u);
}

}  // namespace
}  // namespace hybrid
