// C3 (D 8.5, figure 8.11): random-to-all with 128-byte and with 240-Kbyte buffers.
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c3 {
namespace {

class C3 final : public Claim {
 public:
  std::string_view place() const override { return "D 8.5"; }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants;
    for (const Variant& of : ch8_variants("random-to-all"))
      for (const Bytes buffer : {Bytes{128}, Bytes{240} * 1024}) {
        Variant v = of;
        v.name += buffer == 128 ? " 128 B" : " 240 KB";
        v.parameters.buffer = buffer;
        variants.push_back(v);
      }
    Figure f =
        message_size_figure("c3-buffers", "Random-to-all, 32 nodes, 10 foot cables: small and large buffers");
    sweep(context, f, variants, set_message);

    ClaimResult result;
    const auto past = points_past(f, 128);
    std::vector<ClaimCheck> below, far_below, recovered;
    for (const std::string technique : {"wormhole", "circuit", "tdm"}) {
      const std::string small = technique + " 128 B", large = technique + " 240 KB";
      below.push_back(check_points(technique, f, {small}, past,
                                   [&f, small](double x) { return at(f, small, x) < at(f, small, 128); }));
      far_below.push_back(check_points(technique, f, {small}, points_from(f, 512), [&f, small](double x) {
        return at(f, small, x) <= 0.9 * at(f, small, 128);
      }));
      recovered.push_back(check_points(technique, f, {small, large}, past, [&f, large](double x) {
        return at(f, large, x) >= 0.9 * at(f, large, 128);
      }));
    }
    result.checks = {
        for_all("128 B buffers: every technique is lower at every larger size than at 128 B", below),
        for_all("128 B buffers: every technique is 'considerably' lower, by at least 10 %, from 512 B",
                far_below),
        for_all("240 KB buffers: every technique keeps at least 90 % of its value at 128 B", recovered)};
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC3{"C3",
                            "small buffers: all techniques drop above 128 bytes, large buffers recover it",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C3>(); }};

}  // namespace
}  // namespace hybrid::c3
