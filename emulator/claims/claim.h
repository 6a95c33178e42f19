// A claim of the papers, reproduced: one file each, which registers itself under the claim's name ("C5").
//
// A claim runs the emulator at the stated parameters and says what it found, whether or not it agrees.
// Nothing is tuned per claim: parameters come from the presets (D 4.6, 5.5.1, 8.5) and from the claim's own
// text; where the text is silent, the choice is told among `choices`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "emulator/claims/claim_table.h"
#include "emulator/claims/figure.h"

namespace hybrid {

/// How much to run, and with how many threads. The result does not depend on the threads.
struct ClaimContext {
  std::uint64_t seed = 1;
  unsigned repeats = 10;  // runs with seeds seed, seed + 1, ... whose mean is a point
  unsigned threads = 1;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // may be empty; one call at a time
};

/// One statement of a claim: what must hold, whether it does, and the figures that say so.
struct ClaimCheck {
  std::string statement;
  bool holds = false;
  std::string figures;
};

struct ClaimResult {
  std::vector<Figure> figures;
  std::vector<ClaimTable> tables;
  std::vector<ClaimCheck> checks;
  std::vector<std::string> choices;  // where the text is silent
  std::string explanation;           // the reason found for what does not hold; told only then

  bool holds() const {
    for (const ClaimCheck& check : checks)
      if (!check.holds) return false;
    return !checks.empty();
  }
};

class Claim {
 public:
  static constexpr std::string_view kKind = "claim";
  virtual ~Claim() = default;
  /// The place in the papers ("D 4.6.1").
  virtual std::string_view place() const = 0;
  virtual ClaimResult run(const ClaimContext& context) const = 0;
};

using ClaimRegistration = Registration<Claim>;

}  // namespace hybrid
