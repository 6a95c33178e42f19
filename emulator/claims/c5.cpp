// C5 (D 4.6.1, figures 4.11 to 4.13): mixed random and ordered-mesh traffic by predictable ratio.
#include <algorithm>
#include <memory>

#include "emulator/claims/allocation_grid.h"

namespace hybrid {
namespace {

class C5 final : public Claim {
 public:
  std::string_view place() const override { return "D 4.6.1"; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    result.figures = allocation_grid(context, "c5-mixed", "mixed");
    result.tables = {adaptive_table(result.figures, "c5-adaptive")};
    result.choices = allocation_grid_choices();
    const Figure &large = result.figures[0], &medium = result.figures[1], &small = result.figures[2];
    const auto above = [](const Figure& f, const std::string& a) {
      return [&f, a](double x) { return at(f, a, x) > at(f, "wormhole", x); };
    };
    const auto below = [](const Figure& f, const std::string& a) {
      return [&f, a](double x) { return at(f, a, x) < at(f, "wormhole", x); };
    };
    const auto past = [](const Figure& f, double ratio) {
      return points_where(f, [ratio](double x) { return x > ratio + 1e-9; });
    };
    const auto to = [](const Figure& f, double ratio) {
      return points_where(f, [ratio](double x) { return x <= ratio + 1e-9; });
    };
    auto& checks = result.checks;
    for (const Figure* f : {&large, &medium, &small}) {
      checks.push_back(check_points(f->file + ": SES above wormhole past 80 %", *f, {"ses", "wormhole"},
                                    past(*f, 0.8), above(*f, "ses")));
      checks.push_back(check_points(f->file + ": SES below wormhole at low ratio (to 50 %)", *f,
                                    {"ses", "wormhole"}, to(*f, 0.5), below(*f, "ses")));
    }
    checks.push_back(check_points("8 KB: PREEMPT best of SES, SLA and PREEMPT", large,
                                  {"ses", "sla", "preempt"}, large.x, [&](double x) {
                                    return at(large, "preempt", x) >=
                                           0.999 * std::max(at(large, "ses", x), at(large, "sla", x));
                                  }));
    for (const char* a : {"sla", "preempt"}) {
      checks.push_back(check_points(std::string("8 KB: ") + a + " above wormhole past 50 %", large,
                                    {a, "wormhole"}, past(large, 0.5), above(large, a)));
      checks.push_back(check_points(std::string("2 KB: ") + a + " above wormhole past 70 %", medium,
                                    {a, "wormhole"}, past(medium, 0.7), above(medium, a)));
      checks.push_back(check_points(std::string("128 B: ") + a + " gains past 80 %", small, {a, "wormhole"},
                                    past(small, 0.8), above(small, a)));
    }
    checks.push_back(check_points(
        "128 B, below 80 %: SLA is about wormhole (within 10 %)", small, {"sla", "wormhole"}, to(small, 0.75),
        [&](double x) { return at(small, "sla", x) >= 0.9 * at(small, "wormhole", x); }));
    checks.push_back(check_points(
        "128 B, below 80 %: PREEMPT falls to about SES (within 30 %)", small, {"preempt", "ses"},
        to(small, 0.75), [&](double x) { return at(small, "preempt", x) <= 1.3 * at(small, "ses", x); }));
    checks.push_back(check_adaptive(result.figures));
    result.explanation =
        "Our SLA gives S_W its share by the ratio, at least one slot; with 128-byte buffers a node blocks on "
        "the one message that a queue holds while it waits for its slot's turn, whatever the shares, so that "
        "below 80 % SLA cannot follow wormhole. PREEMPT is below SLA at low ratios because 1 in 20 random "
        "messages happens to go over a preloaded connection and wakes all four slots.";
    return result;
  }
};

const ClaimRegistration kC5{"C5", "mixed traffic: SES, SLA, PREEMPT and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C5>(); }};

}  // namespace
}  // namespace hybrid
