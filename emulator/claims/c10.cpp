// C10 (D 5.5.2.3, figure 5.6): K = 3, of which k preloaded, by determinism.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
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

std::string explain(const std::vector<ClaimCheck>& checks, const Figure& f, const Figure& impatient) {
  std::string text;
  if (!all_hold(checks, "1 preloaded"))
    text += fmt::format(
        "The one preloaded slot has a third of the time and half of the specific messages: below a "
        "determinism of 2/3 less data than time. Dynamic slots are not bound to a connection: a NIC asks for "
        "all destinations that data waits for, and three dynamic slots serve them where 1 + 2 leaves two. "
        "({}.) ",
        values(f, {"0 preloaded", "1 preloaded"}, {0.5, 0.85, 1}));
  if (!all_hold(checks, "from 85 %")) {
    const double two_turns = 2.0 / 3 * at(f, "2 preloaded", 1);
    text += fmt::format(
        "With two preloaded, the one dynamic slot takes its turn under SES whenever it holds a connection at "
        "any of the 128 ports. At 95 % it holds the few random ones: it carries a twentieth of the messages "
        "and takes a third of the time, so that the preloaded slots, which carry {:.3f} of the link where "
        "they have all the time (at 100 %, the dynamic slot being empty and skipped), have {:.3f} left for "
        "the other 95 %: at most {:.3f} in all. 2 + 1 has {:.3f}; with a time-out of 1 us, which empties the "
        "slot sooner, {:.3f} (second figure); where slots have turns by what waits for them (allocation "
        "adaptive), {:.3f}. At 100 % the dynamic slots of 1 + 2 hold the second specific connection as the "
        "preloaded one does: {:.3f} to {:.3f}.",
        at(f, "2 preloaded", 1), two_turns, two_turns / 0.95, at(f, "2 preloaded", 0.95),
        at(impatient, "2 preloaded", 0.95), at(f, kByDemand, 0.95), at(f, "1 preloaded", 1),
        at(f, "2 preloaded", 1));
  }
  return text;
}

class C10 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.3"; }

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
    result.checks.push_back(check_points(
        "1 preloaded + 2 dynamic beats 3 dynamic from 50 % on", f, {"0 preloaded", "1 preloaded"}, f.x,
        [&f](double x) { return at(f, "1 preloaded", x) > at(f, "0 preloaded", x); }));
    result.checks.push_back(
        check_points("from 85 % on 2 preloaded + 1 dynamic beats 1 + 2 by over 10 %", f,
                     {"1 preloaded", "2 preloaded"}, points_from(f, 0.85),
                     [&f](double x) { return at(f, "2 preloaded", x) > 1.1 * at(f, "1 preloaded", x); }));
    result.choices = {
        "64-byte messages, 512 a node; slots that hold no connection at any port take no time (SES)",
        "time-out 100 us (D gives none), longer than most of these runs; the second figure has 1 us",
        "two specific destinations a node: the next node and the one half way round"};
    result.explanation = explain(result.checks, f, impatient);
    result.figures = {std::move(f), std::move(impatient)};
    return result;
  }
};

const ClaimRegistration kC10{"C10", "partial preloading: k of K = 3 slots preloaded, by determinism",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C10>(); }};

}  // namespace
}  // namespace hybrid
