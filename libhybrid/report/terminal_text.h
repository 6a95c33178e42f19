// Text for terminals and logs: short numbers, tables with aligned columns, and a line of progress.
//
//   TextTable table({{"technique", TextTable::Align::left}, {"time"}});
//   table.add({"wormhole", short_time(time)});
//   std::cout << table.text();
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace hybrid {

/// Three significant digits and the largest fitting unit: "1.24 ms", "87.0 us", "0 s".
std::string short_time(Time time);
/// Digits in groups of three: "1,234,567".
std::string grouped(std::uint64_t count);
/// "97.3 %".
std::string percent(double fraction);

/// Table with aligned columns.
class TextTable {
 public:
  static constexpr std::size_t kWide = 120;  // width of tables with many columns
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row. `cells`: one per column; throws std::logic_error otherwise.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// The line of titles and the rows, each indented by `indent` blanks and ended by a newline. Columns are
  /// two blanks apart; no line ends in blanks. If lines would be longer than `width`, the cells of the widest
  /// left-aligned columns are truncated (with "...").
  std::string text(std::size_t indent = 2, std::size_t width = 100) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks `text` at blanks into lines of at most `width` columns, each indented by `indent` blanks and ended
/// by a newline. A word that is longer than a line gets a line of its own.
std::string wrap(std::string_view text, std::size_t indent = 2, std::size_t width = 100);

/// Line of progress that is rewritten in place.
class ProgressLine {
 public:
  /// Writes only if `stream` is a terminal. `stream` may be null.
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows "emulating hybrid, K = 4: 1,200,000 operations", without the count while it is 0; the same text
  /// with another count at most ten times a second.
  void show(std::string_view what, std::uint64_t done);
  /// Removes the line. To be called before other output to the terminal.
  void clear();

 private:
  std::FILE* stream_ = nullptr;
  bool shown_ = false;
  std::string what_;  // shown at `at_`
  std::chrono::steady_clock::time_point at_;
};

}  // namespace hybrid
