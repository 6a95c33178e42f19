// The one source of randomness: seeded, passed in, the same on every machine (the standard's distributions
// are not).
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>

namespace hybrid {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  /// Uniform over [0, bound); unbiased (rejection). Throws std::invalid_argument where there is nothing to
  /// choose from.
  std::uint64_t below(std::uint64_t bound) {
    if (bound == 0) [[unlikely]]
      throw std::invalid_argument("a random choice among none");
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound + 1) % bound;
    std::uint64_t value = engine_();
    while (value > limit) value = engine_();
    return value % bound;
  }

  /// Uniform over [0, 1), 53 bits.
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;  // its output sequence is fixed by the standard
};

}  // namespace hybrid
