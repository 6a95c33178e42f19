// R3 (ours): the allocation adaptive on the traffic of D 4.6, compared with the best of the dissertation's.
#include <memory>

#include "emulator/claims/allocation_grid.h"

namespace hybrid::r3 {
namespace {

class R3 final : public Claim {
 public:
  std::string_view place() const override { return "ours"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    std::vector<ClaimCheck> checks;
    for (const char* pattern : {"mixed", "phases"}) {
      const std::string file = std::string("r3-") + pattern;
      std::vector<Figure> grid = allocation_grid(context, file, pattern, {"adaptive"});
      result.tables.push_back(adaptive_table(grid, file));
      checks.push_back(check_adaptive(grid));
      checks.back().statement = pattern;
      for (Figure& figure : grid) result.figures.push_back(std::move(figure));
    }
    result.checks = {for_all(std::string(kAdaptiveAim) + ", on both patterns", checks)};
    result.choices = allocation_grid_choices();
    return result;
  }
};

const ClaimRegistration kR3{"R3", "adaptive against SES, SLA, PREEMPT and wormhole, by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<R3>(); }};

}  // namespace
}  // namespace hybrid::r3
