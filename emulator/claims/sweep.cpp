#include "emulator/claims/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/tdm/allocation.h"
#include "emulator/traffic/load_bound.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

Variant variant_of(const std::string& preset, const std::string& name, const std::string& technique) {
  Variant variant;
  variant.name = name;
  apply_preset(preset, variant.parameters, false);
  variant.parameters.technique = technique;
  return variant;
}

std::vector<Variant> every_technique(const std::string& preset) {
  std::vector<Variant> all;
  for (const Listing& listing : listings()) {
    if (listing.kind != Technique::kKind || listing.description.starts_with("for tests")) continue;
    const std::string technique(listing.name);
    if (technique == "tdm") {
      all.push_back(variant_of(preset, "tdm preloaded", technique));
      all.push_back(variant_of(preset, "tdm dynamic", technique));
      all.back().parameters.preload = 0;
    } else if (technique == "hybrid") {
      for (const std::string_view allocation : registered_names(Allocation::kKind)) {
        all.push_back(variant_of(preset, "hybrid " + std::string(allocation), technique));
        all.back().parameters.allocation = allocation;
      }
    } else {
      all.push_back(variant_of(preset, technique, technique));
    }
  }
  return all;
}

void sweep(const ClaimContext& context, Figure& figure, const std::vector<Variant>& variants,
           const SetX& set) {
  ClaimPoints points;
  for (const Variant& variant : variants)
    for (const double x : figure.x) {
      SwitchParameters parameters = variant.parameters;
      TrafficOptions traffic = variant.traffic;
      set(x, parameters, traffic);
      points.add(parameters, traffic);
    }
  points.run(context);
  std::size_t point = 0;
  for (const Variant& variant : variants) {
    Curve& curve = figure.curves.emplace_back(Curve{variant.name, {}});
    for (std::size_t i = 0; i < figure.x.size(); ++i) curve.y.push_back(points.utilisation(point++));
  }
}

Curve bound_curve(const ClaimContext& context, const Figure& figure, const Variant& variant,
                  const SetX& set) {
  Curve curve{"bound", {}};
  const unsigned repeats = std::max(1U, context.repeats);
  for (const double x : figure.x) {
    SwitchParameters parameters = variant.parameters;
    TrafficOptions traffic = variant.traffic;
    set(x, parameters, traffic);
    double sum = 0;
    for (unsigned r = 0; r < repeats; ++r) {
      parameters.seed = context.seed + r;
      sum += load_bound(*make_pattern(parameters, traffic), parameters.nodes);
    }
    curve.y.push_back(sum / repeats);
  }
  return curve;
}

Figure message_size_figure(const std::string& file, const std::string& title) {
  Figure figure{file, title, "message (bytes)", "utilisation", Figure::Scale::logarithmic, {}, {}};
  for (int size = 8; size <= 2048; size *= 2) figure.x.push_back(size);
  return figure;
}

void set_message(double x, SwitchParameters& /*parameters*/, TrafficOptions& traffic) {
  traffic.message = static_cast<Bytes>(x);
}

double at(const Figure& figure, const std::string& curve, double x) {
  for (std::size_t i = 0; i < figure.x.size(); ++i)
    if (figure.x[i] == x) return figure.curve(curve).y.at(i);
  throw std::logic_error(fmt::format("figure {} has no point at {}", figure.file, x));
}

double least(const Figure& figure, const std::vector<std::string>& curves, double x) {
  double value = at(figure, curves.front(), x);
  for (const std::string& curve : curves) value = std::min(value, at(figure, curve, x));
  return value;
}

double most(const Figure& figure, const std::vector<std::string>& curves, double x) {
  double value = at(figure, curves.front(), x);
  for (const std::string& curve : curves) value = std::max(value, at(figure, curve, x));
  return value;
}

bool alike(const Figure& figure, const std::vector<std::string>& curves, double x, double factor) {
  return most(figure, curves, x) <= factor * least(figure, curves, x);
}

std::vector<double> points_to(const Figure& figure, double last) {
  return points_where(figure, [last](double x) { return x <= last; });
}

std::vector<double> points_past(const Figure& figure, double last) {
  return points_where(figure, [last](double x) { return x > last; });
}

std::vector<double> points_from(const Figure& figure, double first) {
  return points_where(figure, [first](double x) { return x >= first; });
}

std::vector<double> points_where(const Figure& figure, const std::function<bool(double)>& where) {
  std::vector<double> points;
  for (const double x : figure.x)
    if (where(x)) points.push_back(x);
  return points;
}

std::string values(const Figure& figure, const std::vector<std::string>& curves,
                   const std::vector<double>& x) {
  std::string text;
  for (const double point : x) {
    text += fmt::format("{}at {:.6g}: ", text.empty() ? "" : "; ", point);
    for (std::size_t i = 0; i < curves.size(); ++i)
      text += fmt::format("{}{} {:.3f}", i == 0 ? "" : ", ", curves[i], at(figure, curves[i], point));
  }
  return text;
}

ClaimCheck check_points(const std::string& statement, const Figure& figure,
                        const std::vector<std::string>& curves, const std::vector<double>& x,
                        const std::function<bool(double x)>& holds) {
  if (x.empty()) return {statement, false, "no points"};
  std::vector<double> against;
  for (const double point : x)
    if (!holds(point)) against.push_back(point);
  std::vector<double> ends{x.front()};
  if (x.size() > 1) ends.push_back(x.back());
  if (against.empty()) return {statement, true, values(figure, curves, ends)};
  return {
      statement, false,
      fmt::format("not at {} of {} points: ", against.size(), x.size()) + values(figure, curves, against)};
}

ClaimCheck check_steps(const std::string& statement, const Figure& figure, const std::string& curve,
                       const std::function<bool(double before, double now)>& holds) {
  const std::vector<double> later(std::next(figure.x.begin()), figure.x.end());
  ClaimCheck check = check_points(statement, figure, {curve}, later, [&](double x) {
    const auto now = std::find(figure.x.begin(), figure.x.end(), x);
    return holds(at(figure, curve, *std::prev(now)), at(figure, curve, x));
  });
  if (check.holds) check.figures = values(figure, {curve}, {figure.x.front(), figure.x.back()});
  return check;
}

bool all_hold(const std::vector<ClaimCheck>& checks, const std::string& beginning) {
  return std::all_of(checks.begin(), checks.end(), [&](const ClaimCheck& check) {
    return check.holds || !check.statement.starts_with(beginning);
  });
}

}  // namespace hybrid
