// Figures and tables of a claim, with their formats: CSV for tools, SVG (drawn by gnuplot) for the page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hybrid {

struct Curve {
  std::string name;
  std::vector<double> y;  // one value per x of the figure
  /// Half the 95 % confidence interval of each value, over the seeds; empty: no intervals.
  std::vector<double> half = {};
};

/// Curves over one x axis.
struct Figure {
  enum class Scale { linear, logarithmic };
  std::string file;  // file name without extension: letters, digits and '-'
  std::string title;
  std::string x_label, y_label;
  Scale x_scale = Scale::linear;
  std::vector<double> x;  // ascending; positive on a logarithmic scale
  std::vector<Curve> curves;

  /// Returns the curve `name`. Throws std::logic_error if there is none.
  const Curve& curve(const std::string& name) const;
};

/// Table with one row per point.
struct ClaimTable {
  using Cell = std::variant<double, std::string>;

  std::string file;  // file name without extension: letters, digits and '-'
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // one cell per column
  std::vector<std::string> notes;       // conclusions from the rows; the page shows them, and the CSV's name
};

/// Returns `text` as a CSV field, quoted if necessary.
std::string csv_field(std::string_view text);

/// Returns a header line and one line per x with a column per curve, and a column "NAME +-" if it has
/// intervals. Numbers have the shortest form that reads back exactly.
std::string to_csv(const Figure& figure);
/// Returns a header line and all rows. Numbers have the shortest form that reads back exactly.
std::string to_csv(const ClaimTable& table);

/// Returns a script for gnuplot that draws an SVG picture of the figure into `file`: 720 x 440, y axis from
/// 0, a line with markers per curve with its intervals, a legend. Curves without a number are left out;
/// returns an empty script if none is left. Scripts can be joined.
std::string to_gnuplot(const Figure& figure, const std::string& file);

/// Whether gnuplot is installed.
bool draws_figures();
/// Runs gnuplot with `script`. Throws RunError if it fails. Call only if draws_figures().
void draw(const std::string& script);

}  // namespace hybrid
