// C10 (D 5.5.2.3, figure 5.6): K = 3, of which k preloaded, by determinism.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c10 {
namespace {

const std::string kByDemand = "2 preloaded, adaptive";  // for the explanation

Variant preloaded(std::uint32_t k) {
  Variant v = variant_of("ch5", std::to_string(k) + " preloaded", "tdm");
  v.parameters.slots = 3;
  v.parameters.preload = k;
  v.traffic.pattern = "determinism";
  v.traffic.message = 64;
  v.traffic.messages = 512;
  return v;
}

Figure determinism(const ClaimContext& context, const std::string& file, const std::string& title,
                   const std::vector<Variant>& variants) {
  Figure f{file,
           "Determinism, 128 nodes, 64-byte messages, K = 3, k preloaded" + title,
           "determinism",
           "utilisation",
           Figure::Scale::linear,
           {},
           {}};
  for (int percent = 50; percent <= 100; percent += 5) f.x.push_back(percent / 100.0);
  sweep(context, f, variants, [](double x, SwitchParameters&, TrafficOptions& t) { t.ratio = x; });
  return f;
}

std::vector<std::string> explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks,
                                 const Figure& f) {
  std::vector<std::string> parts;
  if (!all_hold(checks, "1 preloaded"))
    parts.emplace_back(
        "The preloaded slot has a third of the time and half of the specific messages: less data than time "
        "below a determinism of 2/3. Only two slots of 1 + 2 serve any destination.");
  if (!all_hold(checks, "from 85 %")) {
    parts.emplace_back(
        "Under SES the dynamic slot of 2 + 1 takes its turn if any of 128 ports has a connection in it: at "
        "95 % 1/20 of the messages take a third of the time. At 100 % the dynamic slots of 1 + 2 hold the "
        "second specific connection as well.");
    if (!context.model.change)  // a reading
      parts.push_back(
          fmt::format("2 + 1 at 95 %: {:.3f}, with allocation adaptive (turns by waiting data) {:.3f}.",
                      at(f, "2 preloaded", 0.95), at(f, kByDemand, 0.95)));
  }
  return parts;
}

class C10 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.3"; }

  std::vector<ClaimModel> readings() const override {
    return {
        reading("--specific-shares 60,40",
                "The text has \"specific processors\" without their shares: here the first of the two "
                "gets 60 % of the messages to them.",
                [](SwitchParameters&, TrafficOptions& t) { t.first_share = 0.6; }),
        reading("--specific-turns 4,10",
                "The text has \"specific processors\" without their number and order: here each processor "
                "has four, as in D 5.5.2.1, and uses one after the other for 10 messages each; preloaded "
                "slots follow these turns, as in an all-to-all.",
                [](SwitchParameters&, TrafficOptions& t) { t.specific_turns = {4, 10}; })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants{preloaded(0), preloaded(1), preloaded(2)};
    std::vector<Variant> short_timeout = variants;
    for (Variant& v : short_timeout) v.parameters.predictor_timeout = microseconds(1);
    Variant by_demand = preloaded(2);
    by_demand.name = kByDemand;
    by_demand.parameters.allocation = "adaptive";
    variants.push_back(by_demand);
    Figure f = determinism(context, "c10-determinism", "", variants);
    Figure impatient = determinism(context, "c10-time-out", ", time-out 1 us", short_timeout);

    ClaimResult result;
    result.checks.push_back(
        check_points("1 preloaded + 2 dynamic above 3 dynamic from 50 %", f, {"0 preloaded", "1 preloaded"},
                     f.x, [&f](double x) { return at(f, "1 preloaded", x) > at(f, "0 preloaded", x); }));
    result.checks.push_back(
        check_points("from 85 % 2 preloaded + 1 dynamic above 1 + 2 by over 10 %", f,
                     {"1 preloaded", "2 preloaded"}, points_from(f, 0.85),
                     [&f](double x) { return at(f, "2 preloaded", x) > 1.1 * at(f, "1 preloaded", x); }));
    result.choices = {"64-byte messages, 512 per node; slots without a connection take no time (SES)",
                      "time-out 100 us, longer than most of these runs; 1 us in the second figure",
                      "two specific destinations per node: the next one and the one N/2 further on "
                      "(--specific-turns: four)"};
    result.explanation = explain(context, result.checks, f);
    result.figures = {std::move(f), std::move(impatient)};
    return result;
  }
};

const ClaimRegistration kC10{"C10", "partial preloading: k of K = 3 slots preloaded, by determinism",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C10>(); }};

}  // namespace
}  // namespace hybrid::c10
