// C2 (D 8.5, figure 8.10): random-to-all with 10 and 100 foot cables.
#include <fmt/format.h>

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
    result.checks.push_back(check_points("circuit drops by more than 10 % up to 512 bytes", f, circuit,
                                         points_to(f, 512),
                                         [&f](double x) { return loss(f, "circuit", x) > 0.1; }));
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC2{"C2", "longer cables: circuit switching drops because its control path is longer",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C2>(); }};

}  // namespace
}  // namespace hybrid::c2
