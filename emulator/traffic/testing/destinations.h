// Test helper: the sends of a pattern.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/traffic/pattern.h"

namespace hybrid {

/// The destinations of all sends of `source` that are left, in order.
inline std::vector<Port> destinations(Pattern& pattern, Port source) {
  std::vector<Port> all;
  for (std::uint64_t m = pattern.messages(source); m > 0; --m)
    all.push_back(pattern.next(source).destination);
  return all;
}

}  // namespace hybrid
