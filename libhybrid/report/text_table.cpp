#include "libhybrid/report/text_table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace hybrid {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // no column is truncated to less than this

std::string truncated(const std::string& cell, std::size_t width) {
  return cell.size() <= width ? cell : cell.substr(0, width - 3) + "...";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table's row has the wrong number of cells");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = columns_[c].title.size();
    for (const auto& row : rows_) widest = std::max(widest, row[c].size());
    widths.push_back(widest);
  }
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), indent + kGap * (widths.size() - 1));
  };
  while (total() > width) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].align == Align::left && widths[c] > kNarrowest &&
          (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == widths.size()) break;
    --widths[widest];
  }

  std::string text;
  const auto line = [&](const auto& cell_of) {
    std::string one(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = truncated(cell_of(c), widths[c]);
      const std::string blanks(widths[c] - cell.size(), ' ');
      one += columns_[c].align == Align::right ? blanks + cell : cell + blanks;
      if (c + 1 < columns_.size()) one.append(kGap, ' ');
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line([&](std::size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return text;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result, line;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
  return result;
}

}  // namespace hybrid
