// C5 (D 4.6.1, figures 4.11 to 4.13): mixed random and ordered-mesh traffic by predictable ratio.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "emulator/claims/allocation_grid.h"

namespace hybrid::c5 {
namespace {

constexpr double kStretch = 4.0 / 3;  // length of S_W / its share of the data, for the explanation
const std::string kLonger = "sla, S_W a third longer";

/// Figure of SLA with S_W a third longer than its share of the data, at the ratios where D has SLA above
/// wormhole.
Figure longer_wormhole_slot(const ClaimContext& context, const Figure& grid, Bytes buffer,
                            const std::string& name) {
  Figure f{
      "c5-longer-" + name,
      fmt::format("SLA with S_W by its share of the data, and a third longer, buffers of {} bytes", buffer),
      grid.x_label,
      grid.y_label,
      Figure::Scale::linear,
      points_where(grid, [](double x) { return x >= 0.5 && x < 1; }),
      {}};
  for (const char* curve : {"wormhole", "sla"}) {
    const Curve& from = grid.curve(curve);
    Curve& copy = f.curves.emplace_back(Curve{curve, {}});
    for (std::size_t i = 0; i < grid.x.size(); ++i) {
      if (std::find(f.x.begin(), f.x.end(), grid.x[i]) == f.x.end()) continue;
      copy.y.push_back(from.y[i]);
      if (!from.half.empty()) copy.half.push_back(from.half[i]);
    }
  }
  Variant longer = allocation_variant("sla", "mixed", buffer);
  longer.name = kLonger;
  sweep(context, f, {longer}, [](double x, SwitchParameters& p, TrafficOptions& t) {
    t.ratio = x;
    p.wormhole_slot_length = known_wormhole_slot(p, x, kStretch);
  });
  return f;
}

/// Check that `curve` is above wormhole at every point.
ClaimCheck above_wormhole(const std::string& statement, const Figure& f, const std::string& curve,
                          const std::vector<double>& x) {
  return check_points(statement, f, {curve, "wormhole"}, x,
                      [&](double at_x) { return not_below(f, curve, {"wormhole"}, at_x); });
}
/// Check that `curve` is above wormhole for ratios > `last` and not below it; the text is silent about
/// `last`.
ClaimCheck crosses_wormhole(const std::string& statement, const Figure& f, const std::string& curve,
                            double last) {
  return check_points(statement, f, {curve, "wormhole"},
                      points_where(f, [&](double x) { return std::abs(x - last) > 1e-9; }), [&](double x) {
                        return x > last ? not_below(f, curve, {"wormhole"}, x)
                                        : not_below(f, "wormhole", {curve}, x);
                      });
}

/// Returns "at 55, 60 %, by at most 3.1 %": the ratios above `past` with `curve` below wormhole.
std::string describe_deficit(const Figure& f, const std::string& curve, double past) {
  std::string ratios;
  double most_below = 0;
  for (const double x : points_past(f, past)) {
    const double by = 1 - at(f, curve, x) / at(f, "wormhole", x);
    if (by <= 0) continue;
    ratios += fmt::format("{}{:.0f}", ratios.empty() ? "" : ", ", 100 * x);
    most_below = std::max(most_below, by);
  }
  return ratios.empty() ? "nowhere" : fmt::format("at {} %, by at most {:.1f} %", ratios, 100 * most_below);
}

std::vector<std::string> explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks,
                                 const std::vector<Figure>& longer) {
  std::vector<std::string> parts;
  const bool sla = all_hold(checks, "8 KB: sla") && all_hold(checks, "2 KB: sla");
  if (!sla && !longer.empty())
    parts.push_back(
        fmt::format("Worms need more time than circuits for their share of the data, because inputs wait for "
                    "busy outputs. With S_W a third longer SLA is below wormhole {} (8 KB) and {} (2 KB).",
                    describe_deficit(longer[0], kLonger, 0.5), describe_deficit(longer[1], kLonger, 0.7)));
  if (!all_hold(checks, "128 B, 5 to 75 %: sla"))
    parts.emplace_back(
        "With 128-byte buffers a node blocks on one message until its slot has a turn, for any shares of "
        "time.");
  if (!all_hold(checks, "8 KB: PREEMPT best") || !all_hold(checks, "8 KB: preempt") ||
      !all_hold(checks, "2 KB: preempt"))
    parts.push_back(
        context.model.dissertation
            ? "PREEMPT activates all four slots for all nodes while any of 64 nodes has data for "
              "the mesh: in mixed traffic nearly always."
            : fmt::format("PREEMPT loses at low ratios because {:.0f} % of the random messages use "
                          "a preloaded connection by chance, and each activates all four slots for "
                          "all nodes.",
                          100 * 3.5 / 63));
  return parts;
}

class C5 final : public Claim {
 public:
  std::string_view place() const override { return "D 4.6.1"; }

  std::vector<ClaimModel> readings() const override {
    const auto mix = [](TrafficOptions& t) {
      t.mixes_evenly = true;
      t.messages = 192;
    };
    // The first one that holds is the last one that is shown.
    return {reading("--buffer-scope nic --mixed-draw even --messages 192",
                    "D 3.4.1 has one physical buffer VQ_PCKT, logically partitioned: here its queues share "
                    "the stated size, and Q_W has the same. With a small buffer a node then blocks on any "
                    "message of its pool.",
                    [mix](SwitchParameters& p, TrafficOptions& t) {
                      mix(t);
                      p.buffer_is_shared = true;
                      p.buffer *= 2;
                    }),
            reading("--mixed-draw even --messages 192",
                    "The text gives neither number nor order of the messages: here 192 per node, evenly "
                    "mixed, so that the 64 in a buffer have the ratio, too. With 160 or 224 messages two "
                    "statements fail, at one point each.",
                    [mix](SwitchParameters&, TrafficOptions& t) { mix(t); })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    result.figures = allocation_grid(context, "c5-mixed", "mixed");
    result.choices = allocation_grid_choices();
    result.choices.emplace_back(
        "'similar to wormhole', 'like SES': nearer to it; at 0 % PREEMPT is wormhole");
    result.choices.emplace_back(
        "8 KB, 'PREEMPT outperforms other schemes': for ratios > 50 %, for which the text has it above "
        "wormhole");
    const Figure &large = result.figures[0], &medium = result.figures[1], &small = result.figures[2];
    auto& checks = result.checks;
    std::vector<ClaimCheck> ses;
    for (const auto& [name, f] : by_buffer(result.figures))
      ses.push_back(crosses_wormhole(name, *f, "ses", 0.8));
    checks.push_back(for_all("SES above wormhole for ratios > 80 %, not for less", ses));
    checks.push_back(check_points("8 KB: PREEMPT best of SES, SLA and PREEMPT for ratios > 50 %", large,
                                  {"ses", "sla", "preempt"}, points_past(large, 0.5),
                                  [&](double x) { return not_below(large, "preempt", {"ses", "sla"}, x); }));
    checks.push_back(check_points("2 KB: sla and preempt within 25 % for ratios > 70 %", medium,
                                  {"sla", "preempt"}, points_past(medium, 0.7), [&](double x) {
                                    return within_factor(medium, {"sla", "preempt"}, x, 1.25);
                                  }));
    for (const std::string a : {"sla", "preempt"}) {
      checks.push_back(above_wormhole("8 KB: " + a + " above wormhole for ratios > 50 %", large, a,
                                      points_past(large, 0.5)));
      checks.push_back(above_wormhole("2 KB: " + a + " above wormhole for ratios > 70 %", medium, a,
                                      points_past(medium, 0.7)));
    }
    // Below 80 % SLA is "similar", PREEMPT "drops drastically".
    checks.push_back(
        above_wormhole("128 B: sla above wormhole for ratios > 80 %", small, "sla", points_past(small, 0.8)));
    checks.push_back(crosses_wormhole("128 B: preempt above wormhole for ratios > 80 %, not for less", small,
                                      "preempt", 0.8));
    const auto lower = points_where(small, [](double x) { return x > 0 && x < 0.8; });
    // "Similar to wormhole", "like SES": which of the two a curve is nearer to, with no tolerance of ours.
    const auto nearer = [&](const std::string& a, const std::string& to, const std::string& than) {
      checks.push_back(check_points(fmt::format("128 B, 5 to 75 %: {} nearer to {} than to {}", a, to, than),
                                    small, {a, to, than}, lower, [&](double x) {
                                      return std::abs(at(small, a, x) - at(small, to, x)) <
                                             std::abs(at(small, a, x) - at(small, than, x));
                                    }));
    };
    nearer("sla", "wormhole", "ses");
    nearer("preempt", "ses", "wormhole");
    std::vector<Figure> longer;
    if (!context.model.dissertation)
      longer = {longer_wormhole_slot(context, large, 8192, "8K"),
                longer_wormhole_slot(context, medium, 2048, "2K")};
    result.explanation = explain(context, checks, longer);
    result.figures.insert(result.figures.end(), longer.begin(), longer.end());
    return result;
  }
};

const ClaimRegistration kC5{"C5", "mixed traffic: SES, SLA, PREEMPT and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C5>(); }};

}  // namespace
}  // namespace hybrid::c5
