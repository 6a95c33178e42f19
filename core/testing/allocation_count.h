// Allocations of a test program so far: linking hybrid_allocation_count replaces its operator new by one that
// counts.
#pragma once

#include <cstddef>

namespace hybrid {

/// Since the program began, over all its threads.
struct AllocationCount {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};
AllocationCount allocation_count();

}  // namespace hybrid
