// C2 (D 8.5, figure 8.10): random-to-all with 10 and 100 foot cables.
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

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
    const std::vector<std::string> curves{"circuit 10 ft", "circuit 100 ft"};
    result.checks.push_back(
        check_points("circuit switching drops at every size with 100 foot cables", f, curves, f.x,
                     [&f](double x) { return at(f, "circuit 100 ft", x) < at(f, "circuit 10 ft", x); }));
    const auto shorter = points_where(f, [](double x) { return x <= 512; });
    result.checks.push_back(check_points(
        "by more than 10 % up to 512 bytes", f, curves, shorter,
        [&f](double x) { return at(f, "circuit 100 ft", x) < 0.9 * at(f, "circuit 10 ft", x); }));
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC2{"C2", "longer cables: circuit switching drops, its control path got longer",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C2>(); }};

}  // namespace
}  // namespace hybrid
