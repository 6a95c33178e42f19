// A table of a claim, a row a point: written as CSV and JSON (for tools) and into the page (for people).
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace hybrid {

struct ClaimTable {
  using Cell = std::variant<double, std::string>;
  struct Column {
    std::string name;
    int digits = 0;  // of numbers, after the point, on the page
  };

  std::string file;  // name without extension: letters, digits and '-'
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // a cell per column
  std::vector<std::string> notes;       // what follows from the rows, told with them
};

/// A head line, a line a row. Numbers in the shortest form that reads back exactly.
std::string to_csv(const ClaimTable& table);

/// Title, table and notes, for the page.
std::string to_markdown(const ClaimTable& table);

}  // namespace hybrid
