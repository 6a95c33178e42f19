// C2 (D 8.5, figure 8.10): random-to-all with 10 and 100 foot cables.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c2 {
namespace {

/// Returns the share of its utilisation that a technique loses with the longer cables.
double loss(const Figure& f, const std::string& technique, double x) {
  return 1 - at(f, technique + " 100 ft", x) / at(f, technique + " 10 ft", x);
}

class C2 final : public Claim {
 public:
  std::string_view place() const override { return "D 8.5"; }

  std::vector<ClaimModel> readings() const override {
    return {reading("--serialise 0s --deserialise 0s",
                    "8.3.3 gives the wire converters of a cycle each, 8.5 does not mention them: here none.",
                    [](SwitchParameters& p, TrafficOptions&) { p.serialise = p.deserialise = Time{}; })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants;
    for (const char* technique : {"circuit", "wormhole"})
      for (const int feet : {10, 100}) {
        Variant v = variant_of("ch8", std::string(technique) + " " + std::to_string(feet) + " ft", technique);
        v.parameters.cable = nanoseconds(feet);
        v.traffic.pattern = "random-to-all";
        variants.push_back(v);
      }
    Figure f =
        message_size_figure("c2-cables", "Random-to-all, 32 nodes, 128-byte buffers: 10 and 100 foot cables");
    sweep(context, f, variants, set_message);

    ClaimResult result;
    const std::vector<std::string> circuit{"circuit 10 ft", "circuit 100 ft"};
    result.checks.push_back(check_points("circuit is lower with 100 foot cables at every size", f, circuit,
                                         f.x, [&f](double x) { return loss(f, "circuit", x) > 0; }));
    result.checks.push_back(check_points("circuit loses more than 10 % up to 512 bytes", f, circuit,
                                         points_to(f, 512),
                                         [&f](double x) { return loss(f, "circuit", x) > 0.1; }));
    result.checks.push_back(
        check_points("longer control path: circuit loses a larger share than wormhole at every size", f,
                     {"circuit 10 ft", "circuit 100 ft", "wormhole 10 ft", "wormhole 100 ft"}, f.x,
                     [&f](double x) { return loss(f, "circuit", x) > loss(f, "wormhole", x); }));
    result.choices = {"'drops': by more than 10 % up to 512 bytes"};
    double most_lost = 0;
    for (const double x : f.x) most_lost = std::max(most_lost, loss(f, "wormhole", x));
    result.explanation = fmt::format(
        "Circuit loses {:.0f} % at 8 bytes and {:.0f} % at 2048; wormhole loses at most {:.0f} %.",
        100 * loss(f, "circuit", 8), 100 * loss(f, "circuit", 2048), 100 * most_lost);
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC2{"C2", "longer cables: circuit switching drops because its control path is longer",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C2>(); }};

}  // namespace
}  // namespace hybrid::c2
