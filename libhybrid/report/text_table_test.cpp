#include "libhybrid/report/text_table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace hybrid {
namespace {

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
