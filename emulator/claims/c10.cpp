// C10 (D 5.5.2.3, figure 5.6): K = 3, of which k preloaded, by determinism.
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

class C10 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.3"; }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants, impatient;
    for (std::uint32_t k = 0; k <= 2; ++k) {
      Variant v = variant_of("ch5", std::to_string(k) + " preloaded", "tdm");
      v.parameters.slots = 3;
      v.parameters.preload = k;
      v.traffic.pattern = "determinism";
      v.traffic.message = 64;
      v.traffic.messages = 512;
      variants.push_back(v);
      v.parameters.predictor_timeout = microseconds(1);
      impatient.push_back(v);
    }
    Figure f{"c10-determinism",
             "Determinism, 128 nodes, 64-byte messages, K = 3, k preloaded",
             "determinism",
             "utilisation",
             Figure::Scale::linear,
             {},
             {}};
    for (int percent = 50; percent <= 100; percent += 5) f.x.push_back(percent / 100.0);
    Figure short_timeout = f;
    short_timeout.file = "c10-time-out";
    short_timeout.title += ", time-out 1 us";
    const auto set_ratio = [](double x, SwitchParameters&, TrafficOptions& t) { t.ratio = x; };
    sweep(context, f, variants, set_ratio);
    sweep(context, short_timeout, impatient, set_ratio);
    ClaimResult result;
    result.checks.push_back(check_points(
        "1 preloaded + 2 dynamic beats 3 dynamic from 50 % on", f, {"0 preloaded", "1 preloaded"}, f.x,
        [&f](double x) { return at(f, "1 preloaded", x) > at(f, "0 preloaded", x); }));
    result.checks.push_back(
        check_points("from 85 % on 2 preloaded + 1 dynamic beats 1 + 2 by over 10 %", f,
                     {"1 preloaded", "2 preloaded"}, points_where(f, [](double x) { return x > 0.849; }),
                     [&f](double x) { return at(f, "2 preloaded", x) > 1.1 * at(f, "1 preloaded", x); }));
    result.figures.push_back(std::move(f));
    result.figures.push_back(std::move(short_timeout));
    result.choices = {
        "64-byte messages, 512 a node",
        "time-out 100 us (D gives none), longer than most of these runs; the second figure has 1 us",
        "two specific destinations a node: the next node and the one half way round"};
    result.explanation =
        "Dynamic slots find the specific connections by themselves and keep them, as a preloaded slot would; "
        "so preloading one of three takes from the others more than it saves. With two preloaded, the one "
        "dynamic slot is held by connections that rest, since the time-out is longer than the run, and under "
        "SES takes its turn all the same: hence the dip before 100 %, where nothing dynamic is left. The "
        "second figure, with a time-out of 1 us, has 2 + 1 ahead of 1 + 2 from 85 to 95 % as the claim says.";
    return result;
  }
};

const ClaimRegistration kC10{"C10", "partial preloading: k of K = 3 slots preloaded, by determinism",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C10>(); }};

}  // namespace
}  // namespace hybrid
