#include "emulator/claims/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

Variant variant_of(const std::string& preset, const std::string& name, const std::string& technique) {
  Variant variant;
  variant.name = name;
  apply_preset(preset, variant.parameters, false);
  variant.parameters.technique = technique;
  return variant;
}

std::vector<Variant> ch5_variants(const std::string& pattern) {
  std::vector<Variant> variants{variant_of("ch5", "wormhole", "wormhole"),
                                variant_of("ch5", "circuit", "circuit"), variant_of("ch5", "preload", "tdm"),
                                variant_of("ch5", "dynamic", "tdm")};
  variants[2].parameters.preload = variants[2].parameters.slots;
  for (Variant& v : variants) v.traffic.pattern = pattern;
  return variants;
}

std::vector<std::string> ch5_choices() {
  return {"preload: the known configurations in order, from before the traffic",
          "dynamic: requested when data waits, released after 100 us or when others need the ports"};
}

std::vector<Variant> ch8_variants(const std::string& pattern) {
  std::vector<Variant> variants;
  for (const char* technique : {"wormhole", "circuit", "tdm"}) {
    Variant v = variant_of("ch8", technique, technique);
    v.parameters.allocation = "none";
    v.traffic.pattern = pattern;
    variants.push_back(v);
  }
  return variants;
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

namespace {

/// By Student's t distribution. Requires: at least 2 values.
double confidence(std::span<const double> values, double mean) {
  // The quantile 0.975 by degrees of freedom, 1 to 9; then within 3 % of the normal distribution's.
  static constexpr std::array<double, 9> kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571,
                                                    2.447,  2.365, 2.306, 2.262};
  const std::size_t freedom = values.size() - 1;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(freedom));
  const double quantile = freedom <= kQuantiles.size() ? kQuantiles.at(freedom - 1)
                                                       : 1.96 * (1 + 1.2 / static_cast<double>(freedom));
  return quantile * deviation / std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

Estimate estimate(std::span<const double> values) {
  Estimate result;
  for (const double value : values) result.mean += value;
  result.mean /= static_cast<double>(values.size());
  if (values.size() > 1) result.half = confidence(values, result.mean);
  return result;
}

void sweep(const ClaimContext& context, Figure& figure, const std::vector<Variant>& variants,
           const SetX& set) {
  struct Point {
    SwitchParameters parameters;
    TrafficOptions traffic;
  };
  std::vector<Point> points;
  for (const Variant& variant : variants)
    for (const double x : figure.x) {
      Point& point = points.emplace_back(Point{variant.parameters, variant.traffic});
      set(x, point.parameters, point.traffic);
      context.model.apply(point.parameters, point.traffic);
    }
  const std::size_t repeats = std::max(1U, context.repeats);
  std::vector<double> runs(points.size() * repeats, 0);
  run_jobs(context, runs.size(), [&](std::size_t i) {
    const Point& point = points[i / repeats];
    SwitchParameters parameters = point.parameters;
    parameters.seed = context.seed + i % repeats;
    runs[i] = simulate(parameters, point.traffic).utilisation;
  });
  std::size_t run = 0;
  for (const Variant& variant : variants) {
    Curve& curve = figure.curves.emplace_back(Curve{variant.name, {}, {}});
    for (std::size_t i = 0; i < figure.x.size(); ++i, run += repeats) {
      const Estimate point = estimate({&runs[run], repeats});
      curve.y.push_back(point.mean);
      if (repeats > 1) curve.half.push_back(point.half);
    }
  }
}

double load_bound(Pattern& pattern, std::uint32_t nodes) {
  std::vector<std::uint64_t> received(nodes, 0);
  std::uint64_t all = 0, busiest = 0;
  for (Port source = 0; source < nodes; ++source) {
    const std::uint64_t messages = pattern.messages(source);
    all += messages;
    busiest = std::max(busiest, messages);
    for (std::uint64_t m = 0; m < messages; ++m) ++received[pattern.next(source).destination];
  }
  for (const std::uint64_t messages : received) busiest = std::max(busiest, messages);
  return all == 0 ? 0
                  : static_cast<double>(all) / (static_cast<double>(nodes) * static_cast<double>(busiest));
}

Curve bound_curve(const ClaimContext& context, const Figure& figure, const Variant& variant,
                  const SetX& set) {
  Curve curve{"bound", {}};
  const unsigned repeats = std::max(1U, context.repeats);
  for (const double x : figure.x) {
    SwitchParameters parameters = variant.parameters;
    TrafficOptions traffic = variant.traffic;
    set(x, parameters, traffic);
    context.model.apply(parameters, traffic);
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

bool within_factor(const Figure& figure, const std::vector<std::string>& curves, double x, double factor) {
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

namespace {

std::string values_at(const Figure& figure, const std::vector<std::string>& curves, double x) {
  std::string text;
  for (const std::string& curve : curves)
    text += fmt::format("{}{}{:.3f}", text.empty() ? "" : ", ", curves.size() == 1 ? "" : curve + " ",
                        at(figure, curve, x));
  return text;
}

}  // namespace

std::string values(const Figure& figure, const std::vector<std::string>& curves,
                   const std::vector<double>& x) {
  std::string text;
  for (const double point : x)
    text += fmt::format("{}at {:.6g}: {}", text.empty() ? "" : "; ", point, values_at(figure, curves, point));
  return text;
}

ClaimCheck check_points(const std::string& statement, const Figure& figure,
                        const std::vector<std::string>& curves, const std::vector<double>& x,
                        const std::function<bool(double x)>& holds) {
  if (x.empty()) return {statement, false, "no points"};
  std::vector<double> failing;
  for (const double point : x)
    if (!holds(point)) failing.push_back(point);
  if (failing.empty())
    return {statement, true, values(figure, curves, x.size() > 1 ? std::vector{x.front(), x.back()} : x)};
  const std::string at_first = values_at(figure, curves, failing.front());
  if (x.size() == 1) return {statement, false, fmt::format("at {:.6g}: {}", x.front(), at_first)};
  const std::string to = failing.size() > 1 ? fmt::format(" to {:.6g}", failing.back()) : "";
  return {statement, false,
          fmt::format("at {} of {} points, {:.6g}{}: {}", failing.size(), x.size(), failing.front(), to,
                      at_first)};
}

void cannot_hold(ClaimCheck& check, const std::vector<double>& x, const std::function<bool(double)>& holds,
                 const std::function<bool(double)>& impossible, const std::string& argument) {
  if (check.holds) return;
  if (std::all_of(x.begin(), x.end(), [&](double at_x) { return holds(at_x) || impossible(at_x); }))
    check.impossible = argument;
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

ClaimCheck for_all(const std::string& statement, const std::vector<ClaimCheck>& parts) {
  ClaimCheck all{statement, all_hold(parts, ""), {}};
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (!all.holds && part->holds) continue;
    const auto shown = [&](const ClaimCheck& other) {
      return (all.holds || !other.holds) && other.figures == part->figures;
    };
    if (std::any_of(parts.begin(), part, shown)) continue;
    std::string names = part->statement;
    for (auto later = std::next(part); later != parts.end(); ++later)
      if (shown(*later)) names += ", " + later->statement;
    all.figures += fmt::format("{}{}: {}", all.figures.empty() ? "" : "; ", names, part->figures);
  }
  return all;
}

bool all_hold(const std::vector<ClaimCheck>& checks, const std::string& beginning) {
  return std::all_of(checks.begin(), checks.end(), [&](const ClaimCheck& check) {
    return check.holds || !check.statement.starts_with(beginning);
  });
}

}  // namespace hybrid
