// C1 (D 1.1.3, 8.5, figure 8.10): random-to-all on 32 nodes, by message size.
#include <algorithm>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

class C1 final : public Claim {
 public:
  std::string_view place() const override { return "D 1.1.3, 8.5"; }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants;
    for (const char* technique : {"wormhole", "circuit", "tdm"}) {
      Variant v = variant_of("ch8", technique, technique);
      v.parameters.allocation = "none";  // all configurations are rotated, D 8.5
      v.traffic.pattern = "random-to-all";
      variants.push_back(v);
    }
    Figure f =
        message_size_figure("c1-random-to-all", "Random-to-all, 32 nodes, 10 foot cables, 128-byte buffers");
    sweep(context, f, variants, set_message);

    ClaimResult result;
    const auto small = points_where(f, [](double x) { return x <= 32; });
    const auto longer = points_where(f, [](double x) { return x >= 256; });
    result.checks.push_back(
        check_points("small messages (to 32 B): predictive circuit and wormhole are within 25 %", f,
                     {"wormhole", "tdm"}, small, [&f](double x) {
                       const double w = at(f, "wormhole", x), t = at(f, "tdm", x);
                       return std::max(w, t) <= 1.25 * std::min(w, t);
                     }));
    result.checks.push_back(
        check_points("long messages (from 256 B): wormhole is below circuit", f, {"wormhole", "circuit"},
                     longer, [&f](double x) { return at(f, "wormhole", x) < at(f, "circuit", x); }));
    result.checks.push_back(check_points(
        "long messages: predictive, all configurations in turn, is worst", f, {"wormhole", "circuit", "tdm"},
        longer,
        [&f](double x) { return at(f, "tdm", x) < std::min(at(f, "wormhole", x), at(f, "circuit", x)); }));
    result.figures.push_back(std::move(f));
    result.choices = {
        "messages of a node: 64 rounds of all destinations in random order, or what the pattern gives",
        "'close' is taken as within 25 %, 'long' as 256 bytes and more"};
    result.explanation =
        "At 8 and 16 bytes a slot of 80 bytes carries one message, which bounds predictive switching at 0.1 "
        "and 0.2, whatever the order; wormhole is not bound by it. From 32 bytes to the length of a slot "
        "predictive is within 25 % of wormhole or above it.";
    return result;
  }
};

const ClaimRegistration kC1{"C1", "random-to-all: wormhole, circuit and predictive by message size",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C1>(); }};

}  // namespace
}  // namespace hybrid
