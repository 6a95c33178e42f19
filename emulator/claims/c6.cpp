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
    const auto both = points_where(small, [](double x) { return x > 0 && x < 1; });
    for (const std::string a : {"ses", "sla"}) {
      checks.push_back(check_points("2 KB: " + a + " above wormhole for ratios > 80 %", medium,
                                    {a, "wormhole"}, points_past(medium, 0.8), [&medium, a](double x) {
                                      return at(medium, a, x) > at(medium, "wormhole", x);
                                    }));
      checks.push_back(
          check_points("128 B: " + a + " below wormhole, with both kinds of traffic", small, {a, "wormhole"},
                       both, [&small, a](double x) { return at(small, a, x) < at(small, "wormhole", x); }));
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
    const auto better = [&wormhole](double x) {
      return at(wormhole, "128 B", x) > most(wormhole, {"2 KB", "8 KB"}, x);
    };
    checks.push_back(
        check_points("wormhole: 128 B better than larger buffers at all ratios with both kinds of traffic",
                     wormhole, {"128 B", "2 KB", "8 KB"}, both, better));
    cannot_hold(
        checks.back(), both, better,
        [&wormhole](double x) { return within_factor(wormhole, {"128 B", "2 KB", "8 KB"}, x, 1.001); },
        "Q_W is one FIFO, so that worms enter the switch in the order of the PE's messages whatever its "
        "size; VQ_W keeps its own.");
    result.explanation = explain(context, checks, at(medium, "wormhole", 0));
    result.figures.push_back(std::move(wormhole));
    return result;
  }

 private:
  /// Most that SES reaches in separate phases: circuits without loss, and worms for one slot of K + 1.
  static double most_of_ses(double ratio, double worms) {
    constexpr double kSlots = 5;  // K = 4 and S_W
    return 1 / (ratio + (1 - ratio) * kSlots / worms);
  }

  static std::string explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks,
                             double worms) {
    std::string text;
    if (context.model.dissertation) {
      if (!all_hold(checks, "2 KB: ses"))
        text += fmt::format(
            "While random messages have a phase of their own, S_W has one slot of five, so SES reaches at "
            "most {:.2f} at 85 %, {:.2f} at 90 % and {:.2f} at 95 %: it cannot be above wormhole at 85 and "
            "90 %. Without the barrier between phases (ours) it is. ",
            most_of_ses(0.85, worms), most_of_ses(0.90, worms), most_of_ses(0.95, worms));
      if (!all_hold(checks, "PREEMPT"))
        text +=
            "PREEMPT loses a few percent at low ratios to the wire: the switch knows of the end of the "
            "predictable traffic, and the NICs of the slots, one wire later. ";
      return text;
    }
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
