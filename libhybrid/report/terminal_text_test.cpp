#include "libhybrid/report/terminal_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

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

TEST(TextTable, AlignsColumnsAndEndsNoLineInBlanks) {
  TextTable table({{"name", TextTable::Align::left}, {"count"}, {"note", TextTable::Align::left}});
  table.add({"a", "1", "x"});
  table.add({"longer", "12345", ""});
  EXPECT_EQ(table.text(),
            "  name    count  note\n"
            "  a           1  x\n"
            "  longer  12345\n");
}

TEST(TextTable, TruncatesTheWidestLeftColumnToTheWidth) {
  TextTable table({{"name", TextTable::Align::left}, {"count"}});
  table.add({std::string(200, 'n'), "1"});
  std::istringstream lines(table.text());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(table.text().find("n...      1\n"), std::string::npos) << table.text();
}

TEST(TextTable, RejectsARowOfAnotherLength) {
  TextTable table({{"a"}, {"b"}});
  EXPECT_THROW(table.add({"1"}), std::logic_error);
}

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrap("one two  three", 2, 10), "  one two\n  three\n");
  EXPECT_EQ(wrap("x aaaaaaaaaaaaaaaaaaaa y", 0, 6), "x\naaaaaaaaaaaaaaaaaaaa\ny\n");
  EXPECT_EQ(wrap("", 2, 10), "");
}

}  // namespace
}  // namespace hybrid
