// C6 (D 4.6.2, figures 4.14 to 4.16): random and ordered-mesh traffic in phases that nobody announces.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/allocation_grid.h"

namespace hybrid {
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
          f->file + ": PREEMPT best of all from 10 % on", *f, {"wormhole", "ses", "sla", "preempt"},
          points_from(*f, 0.1),
          [f](double x) { return at(*f, "preempt", x) >= 0.999 * most(*f, {"wormhole", "ses", "sla"}, x); }));
    for (const std::string a : {"ses", "sla"}) {
      checks.push_back(check_points(
          "2 KB: " + a + " above wormhole past 80 %", medium, {a, "wormhole"}, points_past(medium, 0.8),
          [&medium, a](double x) { return at(medium, a, x) > at(medium, "wormhole", x); }));
      checks.push_back(
          check_points("128 B: " + a + " below wormhole", small, {a, "wormhole"}, small.x,
                       [&small, a](double x) { return at(small, a, x) < at(small, "wormhole", x); }));
    }
    // Wormhole with its three buffers beside each other, wherever both phases are there.
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
          "wormhole is better with 128 B than with " + larger + " buffers, at all ratios with both traffics",
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
          "Nodes go from phase to phase by themselves and drift apart, so that some data for the mesh waits "
          "most of the time and PREEMPT seldom preempts; the random phases too wake the slots ({:.0f} in 100 "
          "of their messages go over a preloaded connection). With 8 KB PREEMPT has {:.3f} of wormhole's "
          "utilisation at 10 %, {:.3f} at 50 % and {:.3f} at 90 %; with 128 B {:.3f}, {:.3f} and {:.3f}. ",
          100 * 3.5 / 63, share(large, 0.1), share(large, 0.5), share(large, 0.9), share(small, 0.1),
          share(small, 0.5), share(small, 0.9));
    if (!all_hold(checks, "128 B: ses") || !all_hold(checks, "128 B: sla"))
      text += fmt::format(
          "With 128 B SES and SLA are above wormhole where little random traffic is left: S_W is skipped "
          "while no worm waits, and so wastes nothing in the mesh's phases (at 80 % SES has {:.3f} and "
          "wormhole {:.3f}, at 95 % {:.3f} and {:.3f}). ",
          at(small, "ses", 0.8), at(small, "wormhole", 0.8), at(small, "ses", 0.95),
          at(small, "wormhole", 0.95));
    if (!all_hold(checks, "wormhole"))
      text += fmt::format(
          "Small buffers do not help wormhole here: a node that blocks on one message sends nothing, which "
          "costs more than the mesh's order gains, at 50 % {:.3f} against {:.3f} with 8 KB; with the mesh "
          "alone {:.3f} against {:.3f}.",
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
}  // namespace hybrid
