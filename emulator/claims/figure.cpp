#include "emulator/claims/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace hybrid {

namespace {

constexpr double kWidth = 720, kHeight = 440;
constexpr double kLeft = 70, kRight = 190, kTop = 46, kBottom = 56;  // margins
constexpr std::array<std::string_view, 8> kColours{"#0b5fa5", "#c4501b", "#2e7d32", "#7b3fa0",
                                                   "#b8860b", "#008b8b", "#a61e4d", "#555555"};

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

/// Returns 1, 2 or 5 times a power of ten, so that `most` has about five steps.
double tick_step(double most) {
  const double raw = most / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

class Plot {
 public:
  explicit Plot(const Figure& figure) : figure_(figure) {
    for (const Curve& curve : figure.curves)
      for (std::size_t i = 0; i < curve.y.size(); ++i)
        if (std::isfinite(curve.y[i]))
          most_ = std::max(most_, curve.y[i] + (curve.half.empty() ? 0 : curve.half[i]));
    if (most_ <= 0) most_ = 1;
    step_ = tick_step(most_);
    most_ = std::ceil(most_ / step_ - 1e-9) * step_;
  }

  std::string svg() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kWidth, kHeight);
    add_text(kLeft, 24, figure_.title, "start", 14);
    draw_y_axis();
    draw_x_axis();
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) draw_curve(figure_.curves[i], i);
    return out_ + "</svg>\n";
  }

 private:
  bool logarithmic() const { return figure_.x_scale == Figure::Scale::logarithmic; }
  double x_at(double x) const {
    const auto place = [this](double v) { return logarithmic() ? std::log2(v) : v; };
    const double low = place(figure_.x.front()), high = place(figure_.x.back());
    const double share = high > low ? (place(x) - low) / (high - low) : 0.5;
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double y_at(double y) const { return kHeight - kBottom - y / most_ * (kHeight - kTop - kBottom); }

  void add_text(double x, double y, std::string_view what, std::string_view anchor, int size = 12) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x,
                        y, anchor, size, escape_xml(what));
  }
  void add_line(double x1, double y1, double x2, double y2, std::string_view colour,
                std::string_view dashes = "") {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n",
                        x1, y1, x2, y2, colour, dashes);
  }

  void draw_y_axis() {
    for (int i = 0; i * step_ <= most_ + step_ / 2; ++i) {
      const double y = i * step_;
      add_line(kLeft, y_at(y), kWidth - kRight, y_at(y), "#dddddd");
      add_text(kLeft - 8, y_at(y) + 4, fmt::format("{:.6g}", y), "end");
    }
    out_ += fmt::format(
        "<text x=\"18\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\">{}</text>\n",
        (kTop + kHeight - kBottom) / 2, (kTop + kHeight - kBottom) / 2, escape_xml(figure_.y_label));
  }
  void draw_x_axis() {
    add_line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "black");
    const std::size_t every = std::max<std::size_t>(1, (figure_.x.size() + 10) / 11);
    for (std::size_t i = 0; i < figure_.x.size(); i += every) {
      add_line(x_at(figure_.x[i]), kHeight - kBottom, x_at(figure_.x[i]), kHeight - kBottom + 5, "black");
      add_text(x_at(figure_.x[i]), kHeight - kBottom + 20, fmt::format("{:.6g}", figure_.x[i]), "middle");
    }
    add_text((kLeft + kWidth - kRight) / 2, kHeight - 14, figure_.x_label, "middle");
  }
  void draw_curve(const Curve& curve, std::size_t index) {
    const std::string_view colour = kColours[index % kColours.size()];
    const std::string_view dashes = index >= kColours.size() ? " stroke-dasharray=\"5 3\"" : "";
    std::string points, marks;
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      if (!std::isfinite(curve.y[i])) continue;
      if (!curve.half.empty())
        add_line(x_at(figure_.x[i]), y_at(std::max(0.0, curve.y[i] - curve.half[i])), x_at(figure_.x[i]),
                 y_at(curve.y[i] + curve.half[i]), colour);
      points += fmt::format("{:.1f},{:.1f} ", x_at(figure_.x[i]), y_at(curve.y[i]));
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>", x_at(figure_.x[i]),
                           y_at(curve.y[i]), colour);
    }
    out_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"{}\"/>\n{}\n",
                        colour, dashes, points, marks);
    const double y = kTop + 18 * static_cast<double>(index);
    add_line(kWidth - kRight + 14, y, kWidth - kRight + 38, y, colour, dashes);
    add_text(kWidth - kRight + 44, y + 4, curve.name, "start");
  }

  const Figure& figure_;
  double most_ = 0, step_ = 1;
  std::string out_;
};

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

std::string to_svg(const Figure& figure) { return Plot(figure).svg(); }

}  // namespace hybrid
