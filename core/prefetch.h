// Bringing into the cache what is needed soon: in a large switch nothing of a port or a connection is still
// there when its turn comes.
#pragma once

#include <cstddef>

namespace hybrid {

/// Has all of `object` brought into the cache, to be written.
template <class T>
void prefetch_all(const T& object) {
  const char* const bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += 64) __builtin_prefetch(bytes + at, 1);
  if constexpr (alignof(T) < 64) __builtin_prefetch(bytes + sizeof(T) - 1, 1);
}

}  // namespace hybrid
