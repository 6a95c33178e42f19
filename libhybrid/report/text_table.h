// Tables with aligned columns, for terminals and logs:
//
//   TextTable table({{"technique", TextTable::Align::left}, {"time"}});
//   table.add({"wormhole", "1.50 ms"});
//   std::cout << table.text();
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

}  // namespace hybrid
