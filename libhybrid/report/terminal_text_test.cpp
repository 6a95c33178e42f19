#include "libhybrid/report/terminal_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): posix_openpt, setenv
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace hybrid {
namespace {

TEST(TextTable, AWideTableFitsTheTerminal) {
  const auto wide_in = [](const char* columns) {
    EXPECT_EQ(setenv("COLUMNS", columns, 1), 0);
    const std::size_t width = TextTable::wide(stdout);
    unsetenv("COLUMNS");
    return width;
  };
  EXPECT_EQ(wide_in("70"), 70u);
  EXPECT_EQ(wide_in("100"), 99u) << "tables are not broken to the width of files";
  EXPECT_EQ(wide_in("110"), 110u);
  EXPECT_EQ(wide_in("500"), TextTable::kWide);
  TextTable table(std::vector<TextTable::Column>(12, {"a column"}));
  table.add(std::vector<std::string>(12, "0123456789"));
  for (const std::size_t width : {70u, 99u, 110u}) {
    std::istringstream lines(table.text(2, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width);
  }
}

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

TEST(WrapLines, BreaksOnlyLongLinesAndKeepsTheirIndentation) {
  EXPECT_EQ(wrap_lines("hybrid: a long message\n  short\n  Expected one of: a, b, c", 16),
            "hybrid: a long\n  message\n  short\n  Expected one\n    of: a, b, c");
  EXPECT_EQ(wrap_lines("one\n\ntwo", 40), "one\n\ntwo");
  EXPECT_EQ(wrap_lines("", 40), "");
  EXPECT_EQ(wrap_lines("a\n" + std::string(50, ' ') + "\nb", 40), "a\n" + std::string(50, ' ') + "\nb");
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

TEST(TextTable, ContinuesBelowOnANarrowTerminal) {
  TextTable table({{"name", TextTable::Align::left}, {"K"}, {"first count"}, {"second count"}}, 2);
  table.add({"a", "1", "10", "20"});
  EXPECT_EQ(table.text(2, 28),
            "  name  K  first count\n"
            "  a     1           10\n"
            "\n"
            "  name  K  second count\n"
            "  a     1            20\n");
  // A column that continues below has room for its names.
  TextTable names(
      {{"name", TextTable::Align::left}, {"predictor", TextTable::Align::left}, {"second count"}});
  names.add({"a", "a-long-predictor", "20"});
  EXPECT_EQ(names.text(2, 28),
            "  name  predictor\n"
            "  a     a-long-predictor\n"
            "\n"
            "  name  second count\n"
            "  a               20\n");
  TextTable wide({{std::string(60, 'a')}, {std::string(60, 'b')}});
  wide.add({"1", "2"});
  EXPECT_EQ(wide.text().find("\n\n"), std::string::npos);
}

TEST(TextTable, BreaksALastColumnOfTextOnANarrowTerminal) {
  TextTable table({{"name", TextTable::Align::left}, {"K"}, {"meaning", TextTable::Align::left}});
  table.add({"a", "1", "the first of all names in this table"});
  EXPECT_EQ(table.text(0, 42),
            "name  K  meaning\n"
            "a     1  the first of all names in this\n"
            "         table\n");
  EXPECT_EQ(table.text(0, 30),  // the text would be too narrow beside the others
            "name  K\n"
            "a     1\n"
            "\n"
            "name  meaning\n"
            "a     the first of all names\n"
            "      in this table\n");
}

TEST(TwoColumns, ALongTermGetsLinesOfItsOwn) {
  EXPECT_EQ(two_columns("-n N", "one two three", 8, 16), "  -n N  one two\n        three\n");
  EXPECT_EQ(two_columns("--kind first|second|third", "one", 8, 16),
            "  --kind first|\n      second|\n      third\n        one\n");
}

TEST(BoldHeadings, AreLinesAboveIndentedOnes) {
  EXPECT_EQ(with_bold_headings("Text of\ntwo lines.\n\nUsage: x\n\nBounds (job time)\n  a  1\n  b  2\nEnd"),
            "Text of\ntwo lines.\n\nUsage: x\n\n\033[1mBounds\033[0m (job time)\n  a  1\n  b  2\nEnd");
  EXPECT_EQ(with_bold_headings(""), "");
  const std::string rest = " (job\ntime)\n  a  1\n";
  EXPECT_EQ(with_bold_headings("Bounds" + rest),
            with_bold_headings("Bounds (job time)\n  a  1\n")
                .replace(std::string("\x1b[1mBounds\x1b[0m").size(), std::string::npos, rest));
  EXPECT_EQ(with_bold_headings("Text (one\ntwo) lines.\n\nEnd (a"), "Text (one\ntwo) lines.\n\nEnd (a");
}

TEST(Colours, AreForTerminalsUnlessTheUserDoesNotWantThem) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
  std::FILE* const stream = std::fopen(::ptsname(terminal), "r+");
  ASSERT_NE(stream, nullptr);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(has_colours(stream));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(has_colours(stream)) << "only a value counts";
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(has_colours(stream));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(has_colours(stream));
  ::setenv("TERM", "xterm", 1);
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(has_colours(file));
  std::fclose(file);
  std::fclose(stream);
  ::close(terminal);
}

TEST(Names, DoNotControlTheTerminal) {
  const std::string name = "\033[31mr\u00f6t\u009b0m\tb\x7f\nc\xff\u20ac\xe0\x82\x9b\xe2\x82",
                    shown = "\\x1b[31mr\u00f6t\\x9b0m\\x09b\\x7f\\x0ac\\xff\u20ac\\xe0\\x82\\x9b\\xe2\\x82";
  TextTable table({{"name", TextTable::Align::left}});
  table.add({name});
  EXPECT_EQ(table.text(), "  name\n  " + shown + "\n");
  EXPECT_EQ(wrap(name, 0), shown + "\n");
  std::FILE* const file = std::tmpfile();
  print_text("a\tb\n\033\r", file);
  std::rewind(file);
  char text[20] = {};
  EXPECT_EQ(std::fread(text, 1, sizeof text, file), 12u);
  EXPECT_STREQ(text, "a\tb\n\\x1b\\x0d");
  std::fclose(file);
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

TEST(ProgressText, HasRateAndTimeLeftWhenTheyAreKnown) {
  EXPECT_EQ(progress_text(0, 0, 10), "");
  EXPECT_EQ(progress_text(120'000, 0, 10), "120,000 operations");              // of an unknown number
  EXPECT_EQ(progress_text({120'000, 400'000}, 0, 0.1), "120,000 operations");  // too early
  EXPECT_EQ(progress_text({100'000, 400'000}, 0, 10), "25 %, 10,000 operations/s, 30 s left");
  EXPECT_EQ(progress_text({100'000, 400'000}, 50'000, 1), "25 %, 50,000 operations/s, 6 s left");
  EXPECT_EQ(progress_text({1, 401}, 0, 1), "0 %, 1.0 operations/s, 7 min left");
  Progress estimated{0, 400'000};
  estimated.estimate = 42.4;
  EXPECT_EQ(progress_text(estimated, 0, 0.1), "about 42 s");
  estimated.done = 200'000;
  EXPECT_EQ(progress_text(estimated, 0, 0.1), "about 42 s");
  EXPECT_EQ(progress_text(estimated, 0, 10), "50 %, 20,000 operations/s, 10 s left");
  estimated.estimate = 0.4;
  EXPECT_EQ(progress_text(estimated, 0, 0.1), "200,000 operations") << "not worth an estimate";
  estimated.share = 0.2;  // the first operations take less time than the others
  EXPECT_EQ(progress_text(estimated, 0, 10), "20 %, 20,000 operations/s, 40 s left");
  EXPECT_EQ(progress_text({5, 100, "emulations"}, 0, 10), "5 %, 0.5 emulations/s, 3 min left");
  EXPECT_EQ(progress_text({500'000, 400'000}, 0, 10), "500,000 operations");  // more than expected
}

TEST(EstimateSeconds, EndsTheRunAfterAHundredth) {
  std::uint64_t last = 0;
  const double seconds = estimate_seconds([&](const auto& note) {
    for (last = 100; last <= 100'000; last += 100) note(last, 100'000);
  });
  EXPECT_EQ(last, 1000u);
  EXPECT_GT(seconds, 0);
}

TEST(EstimateSeconds, IsUnknownForAShortOrFailedRun) {
  bool ended = false;
  EXPECT_EQ(estimate_seconds([&](const auto& note) {
              note(20, 100);
              ended = true;
            }),
            0);
  EXPECT_FALSE(ended) << "most of a short run would be done twice";
  EXPECT_EQ(estimate_seconds([](const auto& note) {
              note(1, 1000);
              throw std::runtime_error("no progress");
            }),
            0);
}

}  // namespace
}  // namespace hybrid
