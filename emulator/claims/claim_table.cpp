#include "emulator/claims/claim_table.h"

#include <fmt/format.h>

#include "emulator/claims/figure.h"

namespace hybrid {

std::string to_csv(const ClaimTable& table) {
  std::string out;
  for (const ClaimTable::Column& column : table.columns)
    out += (out.empty() ? "" : ",") + csv_field(column.name);
  out += "\n";
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double* number = std::get_if<double>(&row[i]);
      out += number != nullptr ? fmt::format("{}", *number) : csv_field(std::get<std::string>(row[i]));
      out += i + 1 < row.size() ? "," : "\n";
    }
  return out;
}

std::string to_markdown(const ClaimTable& table) {
  std::string out = table.title + ":\n\n|", rule = "|";
  for (const ClaimTable::Column& column : table.columns) {
    out += " " + column.name + " |";
    rule += " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double* number = std::get_if<double>(&row[i]);
      out += number != nullptr ? fmt::format(" {:.{}f} |", *number, table.columns.at(i).digits)
                               : " " + std::get<std::string>(row[i]) + " |";
    }
    out += "\n";
  }
  for (const std::string& note : table.notes) out += "\n" + note + "\n";
  return out;
}

}  // namespace hybrid
