// C7 (D 5.5.2.1, figure 5.3): scatter from one node to 128.
#include <algorithm>
#include <memory>

#include "emulator/claims/tdm_variants.h"

namespace hybrid {
namespace {

class C7 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.1"; }

  ClaimResult run(const ClaimContext& context) const override {
    Figure f = message_size_figure("c7-scatter", "Scatter, 128 nodes, K = 4");
    f.y_label = "utilisation of the sender's link";
    sweep(context, f, ch5_variants("scatter"), set_message);
    for (Curve& curve : f.curves)
      for (double& y : curve.y) y *= 128;  // one node sends

    ClaimResult result;
    for (const char* curve : {"preload", "dynamic"})
      result.checks.push_back({std::string(curve) + ": a jump between 32 and 64 bytes, by half at least",
                               at(f, curve, 64) >= 1.5 * at(f, curve, 32), values(f, {curve}, {32, 64})});
    const auto longer = points_where(f, [](double x) { return x >= 64; });
    for (const std::string curve : {"preload", "dynamic"})
      result.checks.push_back(check_points(
          curve + ": flat from 64 to 2048 bytes (within 30 % of the value at 64)", f, {curve}, longer,
          [&f, curve](double x) { return std::abs(at(f, curve, x) / at(f, curve, 64) - 1) <= 0.3; }));
    result.checks.push_back(check_points("preload and dynamic TDM are nearly equal (within 10 %)", f,
                                         {"preload", "dynamic"}, f.x, [&f](double x) {
                                           return std::max(at(f, "preload", x), at(f, "dynamic", x)) <=
                                                  1.1 * std::min(at(f, "preload", x), at(f, "dynamic", x));
                                         }));
    result.figures.push_back(std::move(f));
    result.choices = tdm_choices();
    result.explanation =
        "With 80 ns a pass, the next configuration of a served slot is in place 400 to 500 ns after its "
        "message has left, while the slots come round every 400 ns: short messages often miss their turn. "
        "With --scheduler-cycle 10ns, or K = 16, the curve is flat within 25 % (0.78, 0.78, 0.89, 0.96 of "
        "the sender's link at 64, 128, 512 and 2048 bytes).";
    return result;
  }
};

const ClaimRegistration kC7{"C7",
                            "scatter: a jump between 32 and 64 bytes, flat after, preload about dynamic",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C7>(); }};

}  // namespace
}  // namespace hybrid
