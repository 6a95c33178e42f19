// Fits a working set into the slots of a TDM cycle (D 3.4.2): the K-slot problem on a crossbar.
//
// Contract
// - Every slot stays a partial permutation; `fixed` slots (preloaded) keep what they hold, nothing is added
// to them,
//   and a request that one of them holds is granted there.
// - slots > 0: at most so many, the fixed ones included; what does not fit is left out. slots == 0:
// everything is
//   granted, in as few slots as the algorithm finds.
// - The same problem gives the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configuration.h"
#include "emulator/scheduler/request.h"

namespace hybrid {

struct SlotProblem {
  const RequestSet& set;
  std::uint32_t slots = 0;
  std::span<const Configuration> fixed;  // slots 0 .. fixed.size()-1
};

inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

struct SlotFit {
  std::uint32_t slots = 0;             // used, the fixed ones included
  std::vector<std::uint32_t> slot_of;  // of each request; kNoSlot: left out
};

class SlotFitter {
 public:
  virtual ~SlotFitter() = default;
  virtual SlotFit fit(const SlotProblem& problem) = 0;
};

}  // namespace hybrid
