// What the schedulers `rtl:level-wise`, `rtl:level-wise/two` and `rtl:level-wise/array` report about the last
// schedule, beside the paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/scheduler/tree_scheduler.h"

namespace hybrid {

class RtlTreeScheduler : public TreeScheduler {
 public:
  /// Clocks from the first request to the last answer, both included.
  virtual std::uint64_t clocks() const = 0;
  /// The requests in the order in which the hardware scheduled them.
  virtual std::span<const std::size_t> order() const = 0;
  /// Clocks in which an input had a request and the hardware did not take it.
  virtual std::uint64_t refused() const = 0;
};

}  // namespace hybrid
