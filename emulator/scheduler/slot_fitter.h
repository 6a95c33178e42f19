// Fits a working set into the slots of a TDM cycle (D 3.4.2): the K-slot problem on a crossbar.
//
// Contract
// - Every slot is a partial permutation. Fixed (preloaded) slots keep their connections and get no others; a
//   request that a fixed slot contains is granted there.
// - slots > 0: at most that many slots are used, fixed ones included; requests that do not fit are left out.
//   slots == 0: every request is granted, in as few slots as the algorithm finds.
// - The same problem gives the same result.
#pragma once

#include <cstddef>
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
  std::uint32_t slots = 0;             // used, fixed ones included
  std::vector<std::uint32_t> slot_of;  // of each request; kNoSlot: left out
};

class SlotFitter {
 public:
  virtual ~SlotFitter() = default;
  /// Throws UserError if there are more fixed slots than slots.
  virtual SlotFit fit(const SlotProblem& problem) = 0;
};

/// What the fixed slots grant, and the remaining problem. Fixed slots get no further connections, so the
/// remaining requests are the same problem without fixed slots and with fewer slots: an exact solution of it
/// is an exact solution of the whole.
struct FixedSlots {
  SlotFit fit;                    // the requests that a fixed slot contains; kNoSlot for the others
  std::vector<std::size_t> rest;  // the other requests, in order
  std::uint32_t slots_left = 0;   // slots that are not fixed; kNoSlot: no limit
};

/// Grants the requests that the fixed slots of `problem` contain. Throws UserError if there are more fixed
/// slots than slots.
FixedSlots take_fixed(const SlotProblem& problem);

}  // namespace hybrid
