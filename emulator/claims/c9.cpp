// C9 (D 5.5.2.2, figure 5.5): an all-to-all, then 16 rounds of random neighbours, on 128 nodes.
#include <algorithm>
#include <memory>

#include "emulator/claims/tdm_variants.h"

namespace hybrid {
namespace {

class C9 final : public Claim {
 public:
  std::string_view place() const override { return "D 5.5.2.2"; }

  ClaimResult run(const ClaimContext& context) const override {
    Figure f = message_size_figure("c9-two-phase", "Two-phase, 128 nodes, K = 4");
    sweep(context, f, ch5_variants("two-phase"), set_message);
    ClaimResult result;
    result.checks.push_back(check_points(
        "preload is best", f, {"wormhole", "circuit", "preload", "dynamic"}, f.x, [&f](double x) {
          return at(f, "preload", x) >=
                 std::max({at(f, "wormhole", x), at(f, "circuit", x), at(f, "dynamic", x)});
        }));
    result.checks.push_back(
        check_points("dynamic TDM is below wormhole", f, {"wormhole", "dynamic"}, f.x,
                     [&f](double x) { return at(f, "dynamic", x) < at(f, "wormhole", x); }));
    result.figures.push_back(std::move(f));
    result.choices = tdm_choices();
    result.explanation =
        "In the all-to-all each configuration is used once: preloading it in time needs less than the 400 ns "
        "in which the four slots come round, and takes 400 to 500 ns (see C7), so that preload falls behind "
        "where messages are short of a few slots. Circuit switching overlaps its requests (see C8).";
    return result;
  }
};

const ClaimRegistration kC9{"C9", "two phases: preload best, dynamic TDM below wormhole",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C9>(); }};

}  // namespace
}  // namespace hybrid
