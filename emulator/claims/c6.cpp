// C6 (D 4.6.2, figures 4.14 to 4.16): random and ordered-mesh traffic in unannounced phases.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/allocation_grid.h"

namespace hybrid::c6 {
namespace {

class C6 final : public Claim {
 public:
  std::string_view place() const override { return "D 4.6.2"; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    result.figures = allocation_grid(context, "c6-phases", "phases");
    result.tables = {adaptive_table(result.figures, "c6-adaptive")};
    result.choices = allocation_grid_choices();
    const Figure &large = result.figures[0], &medium = result.figures[1], &small = result.figures[2];
    auto& checks = result.checks;
    for (const Figure* f : {&large, &medium, &small})
      checks.push_back(check_points(
          f->file + ": PREEMPT best of all from 10 %", *f, {"wormhole", "ses", "sla", "preempt"},
          points_from(*f, 0.1),
          [f](double x) { return at(*f, "preempt", x) >= 0.999 * most(*f, {"wormhole", "ses", "sla"}, x); }));
    for (const std::string a : {"ses", "sla"}) {
      checks.push_back(check_points("2 KB: " + a + " above wormhole for ratios > 80 %", medium,
                                    {a, "wormhole"}, points_past(medium, 0.8), [&medium, a](double x) {
                                      return at(medium, a, x) > at(medium, "wormhole", x);
                                    }));
      checks.push_back(
          check_points("128 B: " + a + " below wormhole", small, {a, "wormhole"}, small.x,
                       [&small, a](double x) { return at(small, a, x) < at(small, "wormhole", x); }));
    }
    // Wormhole with the three buffers, at the ratios with both phases.
    Figure wormhole{"c6-wormhole",
                    "Wormhole, pattern phases: 128-byte, 2-Kbyte and 8-Kbyte buffers",
                    large.x_label,
                    large.y_label,
                    large.x_scale,
                    large.x,
                    {{"128 B", small.curve("wormhole").y},
                     {"2 KB", medium.curve("wormhole").y},
                     {"8 KB", large.curve("wormhole").y}}};
    const auto both = points_where(wormhole, [](double x) { return x > 0 && x < 1; });
    for (const std::string larger : {"2 KB", "8 KB"})
      checks.push_back(check_points(
          "wormhole: 128 B better than " + larger + " buffers at all ratios with both kinds of traffic",
          wormhole, {"128 B", larger}, both,
          [&wormhole, larger](double x) { return at(wormhole, "128 B", x) > at(wormhole, larger, x); }));
    checks.push_back(check_adaptive(result.figures));
    result.explanation = explain(checks, small, large, wormhole);
    result.figures.push_back(std::move(wormhole));
    return result;
  }

 private:
  static std::string explain(const std::vector<ClaimCheck>& checks, const Figure& small, const Figure& large,
                             const Figure& wormhole) {
    std::string text;
    if (!all_hold(checks, "c6-phases"))
      text += fmt::format(
          "Nodes change phase independently and drift apart, so some data for the mesh waits most of the "
          "time and "
          "PREEMPT rarely preempts; {:.0f} % of the random messages also activate the slots, by chance. "
          "PREEMPT / "
          "wormhole at 10, 50 and 90 %: {:.3f}, {:.3f} and {:.3f} with 8 KB; {:.3f}, {:.3f} and {:.3f} with "
          "128 "
          "B. ",
          100 * 3.5 / 63, share(large, 0.1), share(large, 0.5), share(large, 0.9), share(small, 0.1),
          share(small, 0.5), share(small, 0.9));
    if (!all_hold(checks, "128 B: ses") || !all_hold(checks, "128 B: sla"))
      text += fmt::format(
          "With 128 B SES and SLA are above wormhole when little random traffic is left, because S_W is "
          "skipped "
          "while no worm waits (SES and wormhole at 80 %: {:.3f} and {:.3f}, at 95 %: {:.3f} and {:.3f}). ",
          at(small, "ses", 0.8), at(small, "wormhole", 0.8), at(small, "ses", 0.95),
          at(small, "wormhole", 0.95));
    if (!all_hold(checks, "wormhole"))
      text += fmt::format(
          "Small buffers do not help wormhole: a node that blocks on one message sends nothing, which costs "
          "more "
          "than the mesh's order gains (128 B and 8 KB at 50 %: {:.3f} and {:.3f}, mesh alone: {:.3f} and "
          "{:.3f}).",
          at(wormhole, "128 B", 0.5), at(wormhole, "8 KB", 0.5), at(wormhole, "128 B", 1),
          at(wormhole, "8 KB", 1));
    return text;
  }
  static double share(const Figure& f, double ratio) {
    return at(f, "preempt", ratio) / at(f, "wormhole", ratio);
  }
};

const ClaimRegistration kC6{"C6", "unknown phases: PREEMPT, SES, SLA and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C6>(); }};

}  // namespace
}  // namespace hybrid::c6
