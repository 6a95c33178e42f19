// A table of text with aligned columns, for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Title line and rows, each ended by a newline and started by `indent` blanks; columns are two blanks
  /// apart, no line ends in blanks. Where the lines would be longer than `width`, the cells of the widest
  /// left-aligned column are cut (with "...") until they fit.
  std::string text(std::size_t indent = 2, std::size_t width = 100) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks `text` at blanks into lines of at most `width` columns, each started by `indent` blanks and ended
/// by a newline. A longer word keeps its own line.
std::string wrap(std::string_view text, std::size_t indent = 2, std::size_t width = 100);

}  // namespace hybrid
