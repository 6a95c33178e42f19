// Fewer random cases in builds with sanitizers.
#pragma once

#include <cstdint>

#ifdef __has_feature
#define HYBRID_TEST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define HYBRID_TEST_HAS_FEATURE(feature) 0
#endif

namespace hybrid {

/// Number of random cases in a test: all `cases`, or a thirtieth of them (at least one) with sanitizers,
/// where each takes ten times as long and a few reach every line. Their test files are therefore also in the
/// build without sanitizers (RANDOM_TESTS of the part).
constexpr std::uint64_t random_cases(std::uint64_t cases) {
  const bool sanitized =
      HYBRID_TEST_HAS_FEATURE(address_sanitizer) || HYBRID_TEST_HAS_FEATURE(thread_sanitizer);
  return sanitized ? (cases + 29) / 30 : cases;
}

}  // namespace hybrid
