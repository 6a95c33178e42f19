// Keeps the preloaded slots filled with what a pattern knows of itself (D 4.2.2): the first configurations at
// the start, and where configurations have turns, the next one as soon as a slot's has served its messages. A
// configuration that comes again while a slot still holds it stays there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/time.h"
#include "emulator/network/technique.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

class Preloader {
 public:
  /// Fills slots 0 .. slots-1 of `technique`.
  Preloader(Technique& technique, const Pattern& pattern, std::uint32_t slots)
      : technique_(technique), pattern_(pattern), slots_(slots) {}

  void start(Time at);
  /// A message of `step` has been delivered.
  void delivered(Time at, std::uint64_t step);

 private:
  static constexpr std::uint32_t kNotLoaded = ~std::uint32_t{0};
  struct Turn {
    std::uint64_t served = 0;
    std::uint64_t messages = 0;  // known once loaded
    std::uint32_t slot = kNotLoaded;
  };
  bool fill(Time at, std::uint32_t slot);
  std::uint32_t holder(const Configuration& configuration) const;

  Technique& technique_;
  const Pattern& pattern_;
  std::uint32_t slots_;
  std::uint64_t next_ = 0;                         // step to load next
  std::vector<Configuration> loaded_;              // by slot
  std::unordered_map<std::uint64_t, Turn> turns_;  // begun and not over; never iterated
};

}  // namespace hybrid
