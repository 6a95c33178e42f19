// C6 (D 4.6.2, figures 4.14 to 4.16): random and ordered-mesh traffic in phases that nobody announces.
#include <algorithm>
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
          points_where(*f, [](double x) { return x > 0.09; }), [f](double x) {
            return at(*f, "preempt", x) >=
                   0.999 * std::max({at(*f, "wormhole", x), at(*f, "ses", x), at(*f, "sla", x)});
          }));
    for (const std::string a : {"ses", "sla"}) {
      checks.push_back(
          check_points("2 KB: " + a + " above wormhole past 80 %", medium, {a, "wormhole"},
                       points_where(medium, [](double x) { return x > 0.81; }),
                       [&medium, a](double x) { return at(medium, a, x) > at(medium, "wormhole", x); }));
      checks.push_back(
          check_points("128 B: " + a + " below wormhole", small, {a, "wormhole"}, small.x,
                       [&small, a](double x) { return at(small, a, x) < at(small, "wormhole", x); }));
    }
    const auto mixed_phases = points_where(small, [](double x) { return x > 0.2 && x < 0.9; });
    checks.push_back(check_points(
        "wormhole is better with 128 B than with 8 KB buffers", small, {"wormhole"}, mixed_phases,
        [&](double x) { return at(small, "wormhole", x) > at(large, "wormhole", x); }));
    checks.push_back(check_adaptive(result.figures));
    result.explanation =
        "Nodes go from phase to phase by themselves and drift apart, so that some data for the mesh waits "
        "most of the time and PREEMPT seldom preempts; the random phases too wake the slots (1 in 20 of "
        "their messages goes over a preloaded connection). Where the ratio is high PREEMPT is best, as told. "
        "Small buffers do not help wormhole here: what it loses by blocking is more than it gains by order.";
    return result;
  }
};

const ClaimRegistration kC6{"C6", "unknown phases: PREEMPT, SES, SLA and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C6>(); }};

}  // namespace
}  // namespace hybrid
