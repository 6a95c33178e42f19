#include "core/time.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

Time parse(std::string_view text) { return parse_time(text, "--slot-length"); }

TEST(Time, ReadsEveryUnit) {
  EXPECT_EQ(parse("7ps"), picoseconds(7));
  EXPECT_EQ(parse("200ns"), nanoseconds(200));
  EXPECT_EQ(parse("1.5us"), nanoseconds(1500));
  EXPECT_EQ(parse("1.5\u00b5s"), nanoseconds(1500));
  EXPECT_EQ(parse("1.5\u03bcs"), nanoseconds(1500));
  EXPECT_EQ(parse("10ms"), milliseconds(10));
  EXPECT_EQ(parse("2s"), milliseconds(2000));
  EXPECT_EQ(parse(" 10 ms "), milliseconds(10));
  EXPECT_EQ(parse("0"), Time{});
  EXPECT_EQ(parse("0.0"), Time{});
  EXPECT_EQ(parse("0ns"), Time{});
  EXPECT_EQ(parse("007ns"), nanoseconds(7));
  EXPECT_EQ(parse(".5ns"), picoseconds(500));
  EXPECT_EQ(parse("5.ns"), nanoseconds(5));
}

TEST(Time, RoundsToTheNearestPicosecond) {
  EXPECT_EQ(parse("0.4ps"), Time{});
  EXPECT_EQ(parse("0.5ps"), picoseconds(1));
  EXPECT_EQ(parse("1.0004ns"), picoseconds(1000));
  EXPECT_EQ(parse("1.0005ns"), picoseconds(1001));
  EXPECT_EQ(parse("0.123456789012s"), picoseconds(123'456'789'012));
}

TEST(Time, RejectsOtherText) {
  for (const char* text :
       {"",      " ",   "ns",        "5",      "1.5",  "-1ns",  "+1ns", "1e3ns", "1,5us", "1.5.2us",
        "5 n s", "5NS", "5 minutes", "0x10ns", "5ns5", "never", "inf",  "nan",   ".ns",   "5\u00b5"}) {
    try {
      parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UserError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with("--slot-length: '" + std::string(text) + "'")) << what;
      EXPECT_NE(what.find("200ns"), std::string::npos) << "shows how to write it: " << what;
    }
  }
}

TEST(Time, RejectsTimesOutOfRange) {
  EXPECT_EQ(parse("9223372036854775806ps"), Time::never() - picoseconds(1));
  EXPECT_THROW(parse("9223372036854775807ps"), UserError) << "that is never()";
  EXPECT_EQ(parse("9223372.036854775806s"), Time::never() - picoseconds(1));
  EXPECT_THROW(parse("9223372.036854775807s"), UserError);
  EXPECT_THROW(parse("9223373s"), UserError);
  EXPECT_THROW(parse("99999999999999999999999999s"), UserError);
  EXPECT_THROW(parse("9999999999999999999999999999999999999999ns"), UserError);
  // Intermediate results exceed 128 bits.
  EXPECT_THROW(parse("345000000.000000000000000000s"), UserError);
  EXPECT_THROW(parse("123456789012345678901234567ms"), UserError);
}

TEST(Time, PrintsTheShortestExactForm) {
  EXPECT_EQ(to_string(Time{}), "0s");
  EXPECT_EQ(to_string(nanoseconds(200)), "200ns");
  EXPECT_EQ(to_string(nanoseconds(1500)), "1.5us");
  EXPECT_EQ(to_string(picoseconds(1)), "1ps");
  EXPECT_EQ(to_string(picoseconds(1001)), "1.001ns");
  EXPECT_EQ(to_string(milliseconds(1000)), "1s");
  EXPECT_EQ(to_string(milliseconds(1000) + picoseconds(10)), "1.00000000001s");
  EXPECT_EQ(to_string(nanoseconds(-1500)), "-1.5us");
  EXPECT_EQ(to_string(Time::never()), "never");
  EXPECT_EQ(to_string(Time{std::numeric_limits<std::int64_t>::min()}), "-9223372.036854775808s");
}

TEST(Time, ReadsBackWhatItPrints) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const Time t{static_cast<std::int64_t>(random.bits() >> (1 + random.below(62)))};
    if (t == Time::never()) continue;
    ASSERT_EQ(parse(to_string(t)), t) << to_string(t);
  }
}

TEST(Time, DoesExactArithmetic) {
  EXPECT_EQ(nanoseconds(3) + picoseconds(1), picoseconds(3001));
  EXPECT_EQ(nanoseconds(3) - nanoseconds(5), nanoseconds(-2));
  EXPECT_EQ(3 * nanoseconds(7), nanoseconds(7) * 3);
  EXPECT_EQ(nanoseconds(10) / nanoseconds(3), 3);
  EXPECT_EQ(nanoseconds(9) / nanoseconds(3), 3);
  Time t = microseconds(1);
  t += nanoseconds(1);
  t -= picoseconds(1);
  EXPECT_EQ(t, picoseconds(1'000'999));
  EXPECT_LT(t, Time::never());
  EXPECT_DOUBLE_EQ(nanoseconds(1500).nanoseconds(), 1500.0);
  EXPECT_DOUBLE_EQ(milliseconds(1500).seconds(), 1.5);
}

TEST(Time, TheNextEdgeIsTheFirstMultipleAtOrAfter) {
  EXPECT_EQ(next_edge(Time{}, nanoseconds(10)), Time{});
  EXPECT_EQ(next_edge(picoseconds(1), nanoseconds(10)), nanoseconds(10));
  EXPECT_EQ(next_edge(nanoseconds(10), nanoseconds(10)), nanoseconds(10));
  EXPECT_EQ(next_edge(picoseconds(10'001), nanoseconds(10)), nanoseconds(20));
  Random random(2);
  for (int i = 0; i < 10'000; ++i) {
    const Time t{static_cast<std::int64_t>(random.below(1'000'000'000))};
    const Time period{static_cast<std::int64_t>(1 + random.below(10'000))};
    const Time edge = next_edge(t, period);
    ASSERT_EQ(edge.ps % period.ps, 0);
    ASSERT_GE(edge, t);
    ASSERT_LT(edge - t, period);
  }
}

}  // namespace
}  // namespace hybrid
