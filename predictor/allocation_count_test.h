// Allocations of the test program so far (its operator new counts them).
#pragma once

#include <cstddef>

namespace hybrid {

struct AllocationCount {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};
AllocationCount allocation_count();

}  // namespace hybrid
