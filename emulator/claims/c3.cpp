// C3 (D 8.5, figure 8.11): random-to-all with 128-byte and with 240-Kbyte buffers.
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

class C3 final : public Claim {
 public:
  std::string_view place() const override { return "D 8.5"; }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Variant> variants;
    for (const char* technique : {"wormhole", "circuit", "tdm"})
      for (const Bytes buffer : {Bytes{128}, Bytes{240} * 1024}) {
        Variant v =
            variant_of("ch8", std::string(technique) + (buffer == 128 ? " 128 B" : " 240 KB"), technique);
        v.parameters.buffer = buffer;
        v.parameters.allocation = "none";
        v.traffic.pattern = "random-to-all";
        variants.push_back(v);
      }
    Figure f =
        message_size_figure("c3-buffers", "Random-to-all, 32 nodes, 10 foot cables: small and large buffers");
    sweep(context, f, variants, set_message);

    ClaimResult result;
    const auto longer = points_where(f, [](double x) { return x >= 512; });
    for (const std::string technique : {"wormhole", "circuit", "tdm"}) {
      const std::string small = technique + " 128 B", large = technique + " 240 KB";
      result.checks.push_back(check_points(
          technique + ": with 128 B buffers past 128 B messages at least 10 % below the value at 128 B", f,
          {small}, longer, [&f, small](double x) { return at(f, small, x) <= 0.9 * at(f, small, 128); }));
      result.checks.push_back(
          check_points(technique + ": 240 KB buffers bring it back, to 90 % of the value at 128 B at least",
                       f, {small, large}, longer,
                       [&f, large](double x) { return at(f, large, x) >= 0.9 * at(f, large, 128); }));
    }
    result.figures.push_back(std::move(f));
    return result;
  }
};

const ClaimRegistration kC3{"C3", "small buffers: all techniques drop past 128 bytes, large ones recover it",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C3>(); }};

}  // namespace
}  // namespace hybrid
