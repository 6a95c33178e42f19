// C2 (D 8.5, figure 8.10): random-to-all with 10 and 100 foot cables.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

/// The share of its utilisation that a technique loses with the longer cables.
double lost(const Figure& f, const std::string& technique, double x) {
  return 1 - at(f, technique + " 100 ft", x) / at(f, technique + " 10 ft", x);
}

class C2 final : public Claim {
 public:
  std::string_view place() const override { return "D 8.5"; }

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
    result.checks.push_back(check_points("circuit switching drops at every size with 100 foot cables", f,
                                         circuit, f.x, [&f](double x) { return lost(f, "circuit", x) > 0; }));
    result.checks.push_back(check_points("by more than 10 % up to 512 bytes", f, circuit, points_to(f, 512),
                                         [&f](double x) { return lost(f, "circuit", x) > 0.1; }));
    result.checks.push_back(
        check_points("because the control path got longer: at every size circuit loses a larger share than "
                     "wormhole, whose control does not cross the cable",
                     f, {"circuit 10 ft", "circuit 100 ft", "wormhole 10 ft", "wormhole 100 ft"}, f.x,
                     [&f](double x) { return lost(f, "circuit", x) > lost(f, "wormhole", x); }));
    result.choices = {"'drops' is taken as by more than 10 % up to 512 bytes: the text tells no figure"};
    double most_lost = 0;
    for (const double x : f.x) most_lost = std::max(most_lost, lost(f, "wormhole", x));
    result.explanation = fmt::format(
        "Circuit loses {:.0f} % at 8 bytes and {:.0f} % at 2048, where data outweighs the request and its "
        "grant; wormhole loses {:.0f} % at most.",
        100 * lost(f, "circuit", 8), 100 * lost(f, "circuit", 2048), 100 * most_lost);
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC2{"C2", "longer cables: circuit switching drops, its control path got longer",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C2>(); }};

}  // namespace
}  // namespace hybrid
