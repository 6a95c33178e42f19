// A figure: curves over one axis, written as CSV (for tools) and as SVG (for people).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

struct Curve {
  std::string name;
  std::vector<double> y;  // by point of the figure's x
};

struct Figure {
  enum class Scale { linear, logarithmic };
  std::string file;  // name without extension: letters, digits and '-'
  std::string title;
  std::string x_label, y_label;
  Scale x_scale = Scale::linear;
  std::vector<double> x;  // ascending; positive where logarithmic
  std::vector<Curve> curves;

  /// The curve of that name; throws std::logic_error where there is none.
  const Curve& curve(const std::string& name) const;
};

/// `text` as a field of CSV: quoted where it must be.
std::string csv_field(std::string_view text);

/// A row per x, a column per curve, a head line. Numbers in the shortest form that reads back exactly.
std::string to_csv(const Figure& figure);

/// A picture of 720 x 440 with axes from 0, a line and markers per curve and a legend.
std::string to_svg(const Figure& figure);

}  // namespace hybrid
