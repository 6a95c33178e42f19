// C9 (D 5.5.2.2, figure 5.5): an all-to-all, then 16 rounds of random neighbours, on 128 nodes.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c9 {
namespace {

const std::vector<std::string> kAll{"wormhole", "circuit", "preload", "dynamic"};
const std::vector<std::string> kRivals{"wormhole", "circuit", "dynamic"};
const std::string kFast = "preload, 10 ns a pass";  // for the explanation

Figure run_pattern(const ClaimContext& context, const std::string& pattern, std::uint64_t messages,
                   const std::string& title) {
  std::vector<Variant> variants = ch5_variants(pattern);
  Variant fast = variants.at(2);  // preload
  fast.name = kFast;
  fast.parameters.scheduler.cycle = nanoseconds(10);
  variants.push_back(fast);
  for (Variant& v : variants) v.traffic.messages = messages;
  Figure f = message_size_figure("c9-" + pattern, title + ", 128 nodes, K = 4");
  sweep(context, f, variants, set_message);
  return f;
}

/// Returns "at 64, 128 bytes": the sizes with `preload` behind another curve.
std::string sizes_behind(const Figure& f, const std::string& preload) {
  std::string sizes;
  for (const double x : f.x)
    if (at(f, preload, x) < most(f, kRivals, x)) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", x);
  return sizes.empty() ? "at no size" : "at " + sizes + " bytes";
}

std::vector<std::string> explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks,
                                 const Figure& both, const Figure& exchange) {
  std::vector<std::string> parts;
  if (!all_hold(checks, "preload")) {
    parts.emplace_back(
        "In the all-to-all (second figure) a slot is reloaded when all its 128 messages are delivered, and "
        "misses its turn during the pass of 80 ns. In the second phase (third figure) each direction gets "
        "a quarter of the time, so the busiest connection decides; circuit requests all destinations at "
        "once.");
    if (context.model.dissertation)
      parts.push_back(
          fmt::format("Preload is behind {}. All-to-all of 64 bytes: {:.3f}, with a pass of 10 ns {:.3f}.",
                      sizes_behind(both, "preload"), at(exchange, "preload", 64), at(exchange, kFast, 64)));
  }
  if (!all_hold(checks, "dynamic"))
    parts.emplace_back("Wormhole requests every worm separately, dynamic TDM once per message.");
  return parts;
}

class C9 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.2"; }

  std::vector<ClaimModel> readings() const override {
    return {reading("--mesh-draw permutation --demand-guard off",
                    "The text has \"16 random nearest neighbor communications\": here four rounds take each "
                    "of the four neighbours once, in random order. It does not say how a circuit that blocks "
                    "waiting data is released: here only by the predictor, after 100 us without use.",
                    [](SwitchParameters& p, TrafficOptions& t) {
                      t.permuted_rounds = true;
                      p.demand_guard = false;
                    })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    Figure both = run_pattern(context, "two-phase", 0, "Two-phase");
    Figure exchange = run_pattern(context, "all-to-all", 0, "One all-to-all");
    Figure mesh = run_pattern(context, "random-mesh", 16, "Random mesh, 16 rounds");
    ClaimResult result;
    result.checks.push_back(check_points("preload is best", both, kAll, both.x, [&both](double x) {
      return at(both, "preload", x) >= most(both, kRivals, x);
    }));
    result.checks.push_back(
        check_points("dynamic TDM is below wormhole", both, {"wormhole", "dynamic"}, both.x,
                     [&both](double x) { return at(both, "dynamic", x) < at(both, "wormhole", x); }));
    result.choices = ch5_choices();
    result.explanation = explain(context, result.checks, both, exchange);
    result.figures = {std::move(both), std::move(exchange), std::move(mesh)};
    return result;
  }
};

const ClaimRegistration kC9{"C9", "two phases: preload best, dynamic TDM below wormhole",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C9>(); }};

}  // namespace
}  // namespace hybrid::c9
