#include "libhybrid/report/format.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

TEST(ShortTime, KeepsThreeDigits) {
  EXPECT_EQ(short_time(Time{}), "0 s");
  EXPECT_EQ(short_time(picoseconds(999)), "999 ps");
  EXPECT_EQ(short_time(picoseconds(1240)), "1.24 ns");
  EXPECT_EQ(short_time(nanoseconds(87)), "87.0 ns");
  EXPECT_EQ(short_time(nanoseconds(123'456)), "123 us");
  EXPECT_EQ(short_time(nanoseconds(999'960)), "1.00 ms");
  EXPECT_EQ(short_time(milliseconds(98'700)), "98.7 s");
  EXPECT_EQ(short_time(milliseconds(3'600'000)), "3600 s");
  EXPECT_EQ(short_time(Time::never()), "never");
}

TEST(Grouped, PutsCommasBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace hybrid
