#include "core/units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

TEST(Units, RatesMayBeInTerabits) {
  EXPECT_EQ(parse_rate("1.6Tb/s", "x"), 1'600'000'000'000u);
  EXPECT_EQ(parse_rate("2T", "x"), 2'000'000'000'000u);
}

Bytes bytes(std::string_view text) { return parse_bytes(text, "--buffer"); }
BitRate rate(std::string_view text) { return parse_rate(text, "--link-rate"); }

TEST(Units, ReadsSizesInEverySpelling) {
  EXPECT_EQ(bytes("0"), 0u);
  EXPECT_EQ(bytes("128"), 128u);
  EXPECT_EQ(bytes("128B"), 128u);
  for (const char* text : {"2K", "2k", "2KB", "2kb", "2KiB", "2 KiB", " 2 kib "})
    EXPECT_EQ(bytes(text), 2048u) << text;
  EXPECT_EQ(bytes("240KB"), 240u * 1024);
  EXPECT_EQ(bytes("1M"), 1u << 20);
  EXPECT_EQ(bytes("1.5MiB"), 3u << 19);
  EXPECT_EQ(bytes("3G"), std::uint64_t{3} << 30);
  EXPECT_EQ(bytes("2TiB"), std::uint64_t{2} << 40);
  EXPECT_EQ(bytes("unlimited"), kUnlimited);
  EXPECT_EQ(bytes(" Unlimited "), kUnlimited);
}

TEST(Units, RejectsTextThatIsNotASize) {
  for (const char* text :
       {"", "K", "-1", "1e6", "1 2", "1P", "12 bytes", "1,5M", "unlimit", "0x80", "1.5.0K"}) {
    try {
      bytes(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UserError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--buffer: '" + std::string(text) + "'"))
          << error.what();
    }
  }
}

TEST(Units, RejectsFractionsOfAByte) {
  for (const char* text : {"0.4", "1.5", "0.5B", "0.1K", "1.00001M"}) {
    try {
      bytes(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UserError& error) {
      EXPECT_TRUE(std::string(error.what())
                      .starts_with("--buffer: '" + std::string(text) + "' is not a whole number of bytes"))
          << error.what();
    }
  }
  EXPECT_EQ(bytes("1.5K"), 1536u);
  EXPECT_EQ(bytes("128.0"), 128u);
  EXPECT_EQ(bytes("0.0009765625K"), 1u);
}

TEST(Units, WhatHasALimitIsNeverUnlimited) {
  EXPECT_EQ(parse_limited_bytes("2K", "x"), 2048u);
  for (const char* text : {"unlimited", "-8"}) {
    try {
      parse_limited_bytes(text, "x");
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(),
                "x: '" + std::string(text) + "' is not a size\n  Give bytes: 128, 2K, 8KiB or 1.5M.");
    }
  }
}

TEST(Units, ReadsNumbers) {
  EXPECT_EQ(read_number("0.25"), 0.25);
  EXPECT_EQ(read_number("1e-05"), 1e-5);
  EXPECT_EQ(read_number("1E-3"), 1e-3);
  EXPECT_EQ(read_number("-2"), -2.0);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "0.5x", " 0.5", "0x1", "half", "1e", "0,5"})
    EXPECT_FALSE(read_number(text)) << text;
}

TEST(Units, ReadsSharesAsNumbersAndPercentages) {
  EXPECT_EQ(read_share("0.1"), 0.1);
  EXPECT_EQ(read_share("10%"), 0.1);
  EXPECT_EQ(read_share("10 %"), 0.1);
  EXPECT_EQ(read_share("0"), 0.0);
  EXPECT_EQ(read_share("100%"), 1.0);
  for (const char* text : {"", "%", "1.1", "101%", "-1%", "10%%", "10  %", "ten %"})
    EXPECT_FALSE(read_share(text)) << text;
}

TEST(Units, RejectsSizesOutOfRange) {
  EXPECT_EQ(bytes("18446744073709551614"), kUnlimited - 1);
  EXPECT_THROW(bytes("18446744073709551615"), UserError) << "that is kUnlimited";
  EXPECT_THROW(bytes("18446744073709551616"), UserError);
  EXPECT_THROW(bytes("16777216T"), UserError);
  EXPECT_EQ(bytes("16777215T"), std::uint64_t{16'777'215} << 40);
  EXPECT_THROW(bytes("300000000.000000000000000000T"), UserError);
}

TEST(Units, PrintsSizesWithAtMostOneDecimal) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(128), "128 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(2048), "2 KiB");
  EXPECT_EQ(format_bytes(2049), "2.0 KiB");
  EXPECT_EQ(format_bytes((1u << 20) - 1), "1.0 MiB") << "not 1024.0 KiB";
  EXPECT_EQ(format_bytes(3u << 19), "1.5 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{5} << 40), "5 TiB");
  EXPECT_EQ(format_bytes(std::uint64_t{5000} << 40), "5000 TiB");
  EXPECT_EQ(format_bytes(kUnlimited - 1), "16777216.0 TiB");
  EXPECT_EQ(format_bytes(kUnlimited), "unlimited");
}

TEST(Units, ReadsBackTheSizesItPrintsToATwentieth) {
  Random random(3);
  for (int i = 0; i < 100'000; ++i) {
    const Bytes size = random.bits() >> (2 + random.below(62));
    // What it prints need not be a whole number of bytes: "1.3 KiB".
    const std::string text = format_bytes(size);
    const std::size_t point = text.find('.'), unit = text.find(' ');
    const double tenths = point == std::string::npos ? 0 : text[point + 1] - '0';
    const auto one = static_cast<double>(bytes("1" + text.substr(unit)));
    const double back =
        (static_cast<double>(bytes(text.substr(0, std::min(point, unit)))) + tenths / 10) * one;
    ASSERT_NEAR(back, static_cast<double>(size), 0.0501 * static_cast<double>(size)) << text;
  }
  for (Bytes size : {Bytes{1}, Bytes{1023}, Bytes{1} << 10, Bytes{7} << 20, Bytes{9} << 30})
    EXPECT_EQ(bytes(format_bytes(size)), size);
}

TEST(Units, ReadsRates) {
  EXPECT_EQ(rate("6.4Gb/s"), 6'400'000'000u);
  EXPECT_EQ(rate("6.4 gb/s"), 6'400'000'000u);
  EXPECT_EQ(rate("100Mb/s"), 100'000'000u);
  EXPECT_EQ(rate("64kb/s"), 64'000u);
  EXPECT_EQ(rate("1 b/s"), 1u);
  EXPECT_EQ(rate("25G"), 25'000'000'000u);
  EXPECT_EQ(rate("100M"), 100'000'000u);
  EXPECT_EQ(rate("1000000Gb/s"), 1'000'000'000'000'000u);
}

TEST(Units, RejectsTextThatIsNotARate) {
  for (const char* text :
       {"", "0", "0Gb/s", "100", "-1Gb/s", "6.4Gb", "6.4 G/s", "1000001Gb/s", "0.4b/s", "fast"}) {
    try {
      rate(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UserError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--link-rate: '" + std::string(text) + "'"))
          << error.what();
    }
  }
}

TEST(Units, RejectsBytesPerSecond) {
  for (const char* text : {"6.4GB/s", "100MB/s", "1B/s"}) EXPECT_THROW(rate(text), UserError) << text;
}

TEST(Units, PrintsRates) {
  EXPECT_EQ(format_rate(6'400'000'000), "6.4 Gb/s");
  EXPECT_EQ(format_rate(400'000'000'000), "400 Gb/s");
  EXPECT_EQ(format_rate(100'000'000), "100 Mb/s");
  EXPECT_EQ(format_rate(999'999'999), "999.999999 Mb/s");
  EXPECT_EQ(format_rate(6'450'000'001), "6.450000001 Gb/s");
  EXPECT_EQ(format_rate(64'000), "64 kb/s");
  EXPECT_EQ(format_rate(7), "7 b/s");
}

TEST(Units, ReadsBackTheRatesItPrints) {
  Random random(5);
  for (int i = 0; i < 100'000; ++i) {
    const BitRate r = 1 + random.below(std::uint64_t{1} << (1 + random.below(49)));
    ASSERT_EQ(rate(format_rate(r)), r) << format_rate(r);
  }
}

TEST(Units, ATransferTakesItsBitsRoundedUp) {
  EXPECT_EQ(time_on_link(8, 6'400'000'000), nanoseconds(10));  // D 5.5.1: one word per 10 ns
  EXPECT_EQ(time_on_link(0, 1), Time{});
  EXPECT_EQ(time_on_link(1, 3'000'000'000'000), picoseconds(3));  // 2.67
  EXPECT_EQ(time_on_link(1'000'000, 8), milliseconds(1'000'000'000));
  EXPECT_EQ(time_on_link(kUnlimited, 1), Time::never());
  EXPECT_EQ(time_on_link(kUnlimited, 6'400'000'000), Time::never());
  Random random(4);
  for (int i = 0; i < 10'000; ++i) {
    const Bytes size = random.below(1 << 20);
    const BitRate speed = 1 + random.below(1'000'000'000'000);
    const auto exact = static_cast<long double>(size) * 8e12L / static_cast<long double>(speed);
    ASSERT_EQ(time_on_link(size, speed).ps, static_cast<std::int64_t>(std::ceil(exact - 1e-9L)));
  }
}

TEST(Units, ReadsCounts) {
  EXPECT_EQ(parse_count("0", "-n"), 0u);
  EXPECT_EQ(parse_count(" 16 ", "-n"), 16u);
  EXPECT_EQ(parse_count("18446744073709551615", "-n"), ~std::uint64_t{0});
  EXPECT_EQ(parse_count("128", "-n", 128), 128u);
  for (const char* text : {"", "-1", "1.0", "1.", "1k", "0x10", "18446744073709551616", "1 6", "four"})
    EXPECT_THROW(parse_count(text, "-n"), UserError) << text;
  try {
    parse_count("129", "-n", 128);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "-n: '129' is not a whole number up to 128");
  }
}

}  // namespace
}  // namespace hybrid
