// C7 (D 5.5.2.1, figure 5.3): scatter from one node to 128.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c7 {
namespace {

const std::vector<std::string> kTdm{"preload", "dynamic"};

Figure scatter(const ClaimContext& context, const std::string& file, const std::string& title,
               const std::vector<Variant>& variants) {
  Figure f = message_size_figure(file, "Scatter, 128 nodes, " + title);
  f.y_label = "utilisation of the sender's link";
  sweep(context, f, variants, set_message);
  for (Curve& curve : f.curves)
    for (auto* values : {&curve.y, &curve.half})
      for (double& y : *values) y *= 128;  // one node sends
  return f;
}

/// Returns preload and dynamic TDM with a lower weight of reloading: a scheduler of 100 MHz, or four times
/// the slots.
std::vector<Variant> with_shorter_reloads() {
  std::vector<Variant> variants;
  for (const Variant& tdm : ch5_variants("scatter")) {
    if (tdm.parameters.technique != "tdm") continue;
    Variant fast = tdm, many = tdm;
    fast.name += ", 10 ns a pass";
    fast.parameters.scheduler.cycle = nanoseconds(10);
    many.name += ", K = 16";
    many.parameters.slots = 16;
    if (tdm.name == "preload") many.parameters.preload = many.parameters.slots;
    variants.push_back(fast);
    variants.push_back(many);
  }
  return variants;
}

/// Returns the size with the largest rise from the previous size, and the rise.
std::pair<double, double> largest_rise(const Figure& f, const std::string& curve) {
  std::pair<double, double> largest{0, 0};
  for (std::size_t i = 1; i < f.x.size(); ++i) {
    const double rise = at(f, curve, f.x[i]) - at(f, curve, f.x[i - 1]);
    if (rise > largest.second) largest = {f.x[i], rise};
  }
  return largest;
}

double change(const Figure& f, const std::string& curve) { return at(f, curve, 2048) / at(f, curve, 64) - 1; }

class C7 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.1"; }

  std::vector<ClaimModel> readings() const override {
    return {reading(
        "--slots-per-pass all",
        "D 5.3.2 has \"the scheduling process for slot s in one SL clock cycle\"; D 4.2.2 allocates \"from "
        "time slot 0 to time slot K - 1\". Here a pass tries all slots.",
        [](SwitchParameters& p, TrafficOptions&) { p.pass_fills_all_slots = true; },
        /*contradicts=*/true)};
  }

  ClaimResult run(const ClaimContext& context) const override {
    Figure f = scatter(context, "c7-scatter", "K = 4", ch5_variants("scatter"));
    Figure faster = scatter(context, "c7-reload", "a faster scheduler or more slots", with_shorter_reloads());

    ClaimResult result;
    auto& checks = result.checks;
    for (const std::string& curve : kTdm) {
      const auto [size, rise] = largest_rise(f, curve);
      checks.push_back({curve + ": the largest rise is from 32 to 64 bytes", size == 64,
                        fmt::format("largest rise to {}: {:.3f}; to 64: {:.3f}", size, rise,
                                    at(f, curve, 64) - at(f, curve, 32))});
    }
    for (const std::string& curve : kTdm)
      checks.push_back(check_points(
          curve + ": flat from 64 to 2048 bytes, within 30 %", f, {curve}, points_from(f, 64),
          [&f, curve](double x) { return std::abs(at(f, curve, x) / at(f, curve, 64) - 1) <= 0.3; }));
    checks.push_back(check_points("preload and dynamic within 10 %", f, kTdm, f.x,
                                  [&f](double x) { return within_factor(f, kTdm, x, 1.1); }));
    result.choices = ch5_choices();
    result.explanation = explain(context, checks, f, faster);
    result.figures = {std::move(f), std::move(faster)};
    return result;
  }

 private:
  static std::vector<std::string> explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks,
                                          const Figure& f, const Figure& faster) {
    std::vector<std::string> parts{
        "A slot is reloaded after each message: the next configuration takes effect after a scheduling "
        "pass. A turn missed meanwhile costs a short message as much time as a long one."};
    if (!all_hold(checks, "preload and dynamic"))
      parts.emplace_back("Preload and dynamic miss different turns.");
    if (context.model.dissertation)
      parts.push_back(fmt::format(
          "From 64 to 2048 bytes preload and dynamic change by {:+.0f} % and {:+.0f} %; with a pass of 10 ns "
          "instead of 80 ns by {:+.0f} % and {:+.0f} %; with K = 16 by {:+.0f} % and {:+.0f} %.",
          100 * change(f, "preload"), 100 * change(f, "dynamic"),
          100 * change(faster, "preload, 10 ns a pass"), 100 * change(faster, "dynamic, 10 ns a pass"),
          100 * change(faster, "preload, K = 16"), 100 * change(faster, "dynamic, K = 16")));
    return parts;
  }
};

const ClaimRegistration kC7{
    "C7", "scatter: a jump between 32 and 64 bytes, then flat; preload about equal to dynamic",
    []() -> std::unique_ptr<Claim> { return std::make_unique<C7>(); }};

}  // namespace
}  // namespace hybrid::c7
