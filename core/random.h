// Random number generators. The sequence depends on the seed only and is the same on every machine (the
// distributions of the standard library are not).
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>

namespace hybrid {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  /// Uniform over [0, bound); unbiased (rejection). Throws std::invalid_argument if bound is 0.
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

/// The same interface in eight bytes of state and a few instructions, for one generator at each of thousands
/// of ports. SplitMix64 (Steele, Lea, Flood 2014).
class SmallRandom {
 public:
  explicit SmallRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() { return mixed(state_ += kStep); }

  /// As Random::below(), with other values; nearly always without a division (Lemire 2019).
  std::uint64_t below(std::uint64_t bound) {
    if (bound == 0) [[unlikely]]
      throw std::invalid_argument("a random choice among none");
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{bits()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
      const std::uint64_t rest = (0 - bound) % bound;  // 2^64 modulo bound
      while (static_cast<std::uint64_t>(product) < rest) product = Wide{bits()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  double fraction() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  /// Hash of `x`: every bit depends on all bits of `x`.
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace hybrid
