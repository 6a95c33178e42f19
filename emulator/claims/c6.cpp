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
    result.choices = allocation_grid_choices();
    const Figure &large = result.figures[0], &medium = result.figures[1], &small = result.figures[2];
    auto& checks = result.checks;
    std::vector<ClaimCheck> best;
    for (const Figure* f : {&large, &medium, &small})
      best.push_back(check_points(
          f->file, *f, {"wormhole", "ses", "sla", "preempt"}, points_from(*f, 0.1),
          [f](double x) { return at(*f, "preempt", x) >= 0.999 * most(*f, {"wormhole", "ses", "sla"}, x); }));
    checks.push_back(for_all("PREEMPT best of all from 10 %", best));
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
    checks.push_back(check_points(
        "wormhole: 128 B better than larger buffers at all ratios with both kinds of traffic", wormhole,
        {"128 B", "2 KB", "8 KB"}, both,
        [&wormhole](double x) { return at(wormhole, "128 B", x) > most(wormhole, {"2 KB", "8 KB"}, x); }));
    result.explanation = explain(checks);
    result.figures.push_back(std::move(wormhole));
    return result;
  }

 private:
  static std::string explain(const std::vector<ClaimCheck>& checks) {
    std::string text;
    if (!all_hold(checks, "PREEMPT"))
      text += fmt::format(
          "Nodes change phase independently, so some data for the mesh waits most of the time and PREEMPT "
          "rarely preempts; {:.0f} % of the random messages also activate the slots, by chance. ",
          100 * 3.5 / 63);
    if (!all_hold(checks, "128 B: ses") || !all_hold(checks, "128 B: sla"))
      text +=
          "With 128 B SES and SLA are above wormhole when little random traffic is left, because S_W is "
          "skipped while no worm waits. ";
    if (!all_hold(checks, "wormhole"))
      text +=
          "Small buffers do not help wormhole: a node that blocks on one message sends nothing, which costs "
          "more than the mesh's order gains.";
    return text;
  }
};

const ClaimRegistration kC6{"C6", "unknown phases: PREEMPT, SES, SLA and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C6>(); }};

}  // namespace
}  // namespace hybrid::c6
