#include "emulator/claims/figure.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr std::array<std::string_view, 8> kColours{"#0b5fa5", "#c4501b", "#2e7d32", "#7b3fa0",
                                                   "#b8860b", "#008b8b", "#a61e4d", "#555555"};

/// Returns `text` as a string of gnuplot.
std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// Returns the points of a curve that are numbers: x, y and half the interval.
std::string points(const Figure& figure, const Curve& curve) {
  std::string out;
  for (std::size_t i = 0; i < curve.y.size(); ++i)
    if (std::isfinite(curve.y[i]))
      out += fmt::format("{} {} {}\n", figure.x.at(i), curve.y[i], curve.half.empty() ? 0 : curve.half[i]);
  return out;
}

}  // namespace

const Curve& Figure::curve(const std::string& name) const {
  for (const Curve& c : curves)
    if (c.name == name) return c;
  throw std::logic_error("figure " + file + " has no curve " + name);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string to_csv(const Figure& figure) {
  std::string out = csv_field(figure.x_label);
  for (const Curve& curve : figure.curves) {
    out += "," + csv_field(curve.name);
    if (!curve.half.empty()) out += "," + csv_field(curve.name + " +-");
  }
  out += "\n";
  for (std::size_t i = 0; i < figure.x.size(); ++i) {
    out += fmt::format("{}", figure.x[i]);
    for (const Curve& curve : figure.curves) {
      out += fmt::format(",{}", curve.y.at(i));
      if (!curve.half.empty()) out += fmt::format(",{}", curve.half.at(i));
    }
    out += "\n";
  }
  return out;
}

std::string to_csv(const ClaimTable& table) {
  std::string out;
  for (const std::string& column : table.columns) out += (out.empty() ? "" : ",") + csv_field(column);
  out += "\n";
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double* number = std::get_if<double>(&row[i]);
      out += number != nullptr ? fmt::format("{}", *number) : csv_field(std::get<std::string>(row[i]));
      out += i + 1 < row.size() ? "," : "\n";
    }
  return out;
}

std::string to_gnuplot(const Figure& figure, const std::string& file) {
  std::string script = fmt::format(
      "reset\nset terminal svg size 720,440 noenhanced font 'sans-serif,12' background rgb 'white'\n"
      "set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n"
      "set yrange [0:*]\nset grid ytics\nset border 3\nset tics nomirror out\nset key outside right top Left "
      "reverse\n",
      gnuplot_text(file), gnuplot_text(figure.title), gnuplot_text(figure.x_label),
      gnuplot_text(figure.y_label));
  if (figure.x_scale == Figure::Scale::logarithmic) script += "set logscale x 2\nset format x '%.0f'\n";
  std::string data, plots;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    const Curve& curve = figure.curves[i];
    const std::string curve_points = points(figure, curve);
    if (curve_points.empty()) continue;
    data += fmt::format("$curve{} << END\n{}END\n", i, curve_points);
    plots += fmt::format(
        "{} $curve{} with {} title {} linewidth 2 pointtype 7 pointsize 0.4 linecolor rgb '{}' "
        "dashtype {}",
        plots.empty() ? "plot" : ",", i, curve.half.empty() ? "linespoints" : "yerrorlines",
        gnuplot_text(curve.name), kColours[i % kColours.size()], i < kColours.size() ? 1 : 2);
  }
  return plots.empty() ? std::string() : script + data + plots + "\nunset output\n";
}

bool draws_figures() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

void draw(const std::string& script) {
  std::FILE* gnuplot = popen("gnuplot -", "w");
  if (gnuplot == nullptr) throw RunError("cannot start gnuplot", "Is there memory for another process?");
  const bool written = std::fputs(script.c_str(), gnuplot) >= 0;
  if (pclose(gnuplot) != 0 || !written)
    throw RunError("gnuplot could not draw the figures", "Its messages are above.");
}

}  // namespace hybrid
