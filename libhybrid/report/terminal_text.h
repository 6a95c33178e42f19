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
#include <functional>
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

inline constexpr std::size_t kTextWidth = 100;  // of text that is not for a narrower terminal

/// The width for text on `stream`: the variable COLUMNS, else that of the terminal, at least 40 and at most
/// `widest`; `widest` if neither is known.
std::size_t terminal_width(std::FILE* stream, std::size_t widest = kTextWidth);

/// Whether text on `stream` is in colour: it is a terminal, and neither NO_COLOR (no-color.org) nor TERM=dumb
/// is set.
bool has_colours(std::FILE* stream);
/// Returns `text` with bold headings. A heading is a line that begins in the first column above an indented
/// one; what follows it in parentheses is not bold.
std::string with_bold_headings(std::string_view text);
/// Writes a report or a help page, in colour with bold headings.
void print_text(std::string_view text, std::FILE* stream);

enum class Severity { note, warning, error };
/// Prints "hybrid: note: TEXT", "hybrid: warning: TEXT" or "hybrid: TEXT" and a newline to standard error; on
/// a terminal with wrap_lines().
void print_message(Severity severity, std::string_view text);

/// Table with aligned columns.
class TextTable {
 public:
  static constexpr std::size_t kWide = 120;  // width of tables with many columns
  /// The width of such a table on a terminal: terminal_width(), never kTextWidth, to which tables are not
  /// broken.
  static std::size_t wide(std::FILE* stream, std::size_t widest = kWide) {
    const std::size_t width = terminal_width(stream, widest);
    return is_limit(width) ? width : width - 1;
  }
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  /// `keys`: the number of leading columns that identify a row.
  explicit TextTable(std::vector<Column> columns, std::size_t keys = 1)
      : columns_(std::move(columns)), keys_(keys) {}

  /// Adds a row. `cells`: one per column; throws std::logic_error otherwise.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// The line of titles and the rows, each indented by `indent` blanks and ended by a newline. Columns are
  /// two blanks apart; no line ends in blanks. If lines would be longer than `width`, the cells of the widest
  /// left-aligned columns are truncated (with "..."); what still does not fit follows in further tables, each
  /// with the key columns, except with kTextWidth, the width of files. Narrower than that, a left-aligned
  /// last column is broken at blanks instead of truncated.
  std::string text(std::size_t indent = 2, std::size_t width = kTextWidth) const;

 private:
  static bool is_limit(std::size_t width) { return width != kTextWidth; }
  std::vector<std::size_t> widths(std::size_t indent, std::size_t width) const;
  /// Whether the last column is broken into lines.
  bool wraps_last(std::size_t width) const;

  std::vector<Column> columns_;
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks `text` at blanks into lines of at most `width` columns, each indented by `indent` blanks and ended
/// by a newline. A word that is longer than a line gets a line of its own.
std::string wrap(std::string_view text, std::size_t indent = 2, std::size_t width = kTextWidth);

/// Breaks the lines of `text` that are longer than `width` at blanks. What follows such a break is indented
/// by two blanks more than the line. wrap_lines("hybrid: a long message", 16) is "hybrid: a long\n  message".
std::string wrap_lines(std::string_view text, std::size_t width);

/// A term and its explanation, which is wrapped in a column that begins at `column`. A term that is too long
/// gets lines of its own, broken at blanks and after "|".
std::string two_columns(std::string_view term, std::string_view text, std::size_t column, std::size_t width);

/// How far a step of a work is, in operations or another unit; all: 0 if it is not known.
struct Progress {
  Progress(std::uint64_t units_done, std::uint64_t units_of_all = 0,  // NOLINT: a number is one
           std::string_view name_of_units = "operations")
      : done(units_done), all(units_of_all), unit(name_of_units) {}
  std::uint64_t done, all;
  std::string_view unit;
  double estimate = 0;  // of the step's time before it starts, in seconds; 0: none
  double share = 0;     // of the step's time that has passed, if that is not done / all; 0: not known
};

/// Receives progress: the current step and how far it is. Returns whether it is shown.
using ProgressNote = std::function<bool(std::string_view what, Progress progress)>;

/// "120,000 operations" after `time`; if their number is known, and enough time has passed to tell:
/// "45 %, 1,200,000 operations/s, 8 s left". Before, the estimate if it is a second or more: "about 8 s". ""
/// if nothing is done. `since`: done at the begin of `time`, which is that of the step if a share is
/// known.
std::string progress_text(Progress progress, std::uint64_t since, double seconds);

/// The seconds that run(note) takes, measured from its first call of note(done, all) to a later one with at
/// least a hundredth done, which throws to end it. 0: not known, since `run` failed or a tenth was done at
/// the first call.
double estimate_seconds(
    const std::function<void(const std::function<void(std::uint64_t done, std::uint64_t all)>& note)>& run);

/// Line of progress that is rewritten in place.
class ProgressLine {
 public:
  /// Writes only if `stream` is a terminal. `stream` may be null.
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows "emulating hybrid, K = 4: 45 %, 1,200,000 operations/s, 8 s left" (progress_text()); the same text
  /// with another count at most ten times a second. Returns whether the stream is a terminal.
  bool show(std::string_view what, Progress progress);
  /// Removes the line. To be called before other output to the terminal.
  void clear();

 private:
  std::FILE* stream_ = nullptr;
  bool shown_ = false;
  std::string what_;  // shown at `at_`
  std::chrono::steady_clock::time_point at_;
  double estimate_ = 0;
  Progress first_{0}, last_{0};  // of the step that is shown, which began at `begin_`
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace hybrid
