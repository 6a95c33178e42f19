// Counts the allocations of a test program. Linking hybrid_allocation_count replaces operator new by a
// version that counts.
#pragma once

#include <cstddef>

namespace hybrid {

/// Totals of all threads since the start of the program.
struct AllocationCount {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};
AllocationCount allocation_count();

}  // namespace hybrid
