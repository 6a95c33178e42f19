// C8 (D 5.5.2.1, figure 5.4): random and ordered mesh on 128 nodes.
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c8 {
namespace {

const std::vector<std::string> kTdm{"preload", "dynamic"}, kOthers{"wormhole", "circuit"};

/// Figure of long runs: in a short run the busiest random connection determines the time.
Figure mesh(const ClaimContext& context, const std::string& pattern, const std::string& title) {
  Figure f = message_size_figure("c8-" + pattern, title + ", 128 nodes, K = 4");
  std::vector<Variant> variants = ch5_variants(pattern);
  for (Variant& v : variants) v.traffic.messages = 1024;
  sweep(context, f, variants, set_message);
  f.curves.push_back(bound_curve(context, f, variants.front(), set_message));
  return f;
}

void check_random(const Figure& f, std::vector<ClaimCheck>& checks) {
  const auto lead = [&f](const std::string& ours, double x) { return at(f, ours, x) / most(f, kOthers, x); };
  for (const std::string& ours : kTdm) {
    const std::vector<std::string> shown{"wormhole", "circuit", ours};
    const std::string beats = "random: " + ours + " above both by ";
    checks.push_back(
        check_points(beats + "at least 10 %", f, shown, f.x, [&](double x) { return lead(ours, x) >= 1.1; }));
    checks.push_back(check_points(beats + "at most 25 %", f, shown, f.x,
                                  [&](double x) { return lead(ours, x) > 1 && lead(ours, x) <= 1.25; }));
  }
  checks.push_back(check_points("random: preload and dynamic within 10 %", f, kTdm, f.x,
                                [&f](double x) { return within_factor(f, kTdm, x, 1.1); }));
  checks.push_back(check_steps("random: circuit improves from each message size to the next (tolerance 1 %)",
                               f, "circuit", [](double before, double now) { return now > 0.99 * before; }));
}

void check_ordered(const Figure& f, std::vector<ClaimCheck>& checks) {
  checks.push_back(check_points("ordered: preload above 90 % of the bound from 64 bytes", f,
                                {"preload", "bound"}, points_from(f, 64),
                                [&f](double x) { return at(f, "preload", x) > 0.9 * at(f, "bound", x); }));
  for (const std::string& ours : kTdm)
    checks.push_back(check_points("ordered: " + ours + " above both", f, {"wormhole", "circuit", ours}, f.x,
                                  [&f, ours](double x) { return at(f, ours, x) > most(f, kOthers, x); }));
}

class C8 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.1"; }

  std::vector<ClaimModel> readings() const override {
    return {reading("--request-width 1",
                    "The text does not say how many circuits a NIC requests at once: here one.",
                    [](SwitchParameters& p, TrafficOptions&) { p.request_width = 1; })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    Figure random = mesh(context, "random-mesh", "Random mesh");
    Figure ordered = mesh(context, "ordered-mesh", "Ordered mesh");
    ClaimResult result;
    check_random(random, result.checks);
    check_ordered(ordered, result.checks);
    result.choices = ch5_choices();
    result.choices.insert(
        result.choices.end(),
        {"1024 rounds",
         "random and ordered mesh; 'both': wormhole and circuit; the bound is that of the busiest port"});
    result.explanation = {
        "It depends on how many circuits a NIC requests at once: with all waiting destinations set-up "
        "overlaps with data, and circuit is close; with one both TDM networks are more than 25 % above it. "
        "With short messages preload is further ahead, and dynamic TDM loses more by requesting displaced "
        "connections again."};
    result.figures = {std::move(random), std::move(ordered)};
    return result;
  }
};

const ClaimRegistration kC8{"C8",
                            "random mesh: TDM above wormhole and circuit; ordered mesh: preload very good",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C8>(); }};

}  // namespace
}  // namespace hybrid::c8
