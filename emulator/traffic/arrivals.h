// Arrival times of open-loop traffic: a Poisson process, computed without floating-point functions, so that
// the result is the same on every machine.
#pragma once

#include "core/random.h"
#include "core/time.h"

namespace hybrid {

/// Returns an exponentially distributed time with the given mean (below 2^62 ps / 64), exact to a picosecond.
///
/// Von Neumann's method: the length of the first descending run of uniform numbers is odd with probability
/// exp(-first); each even run adds one to the integer part.
template <class Source>  // Random or SmallRandom
Time exponential(Source& random, Time mean) {
  std::int64_t whole = 0;
  for (;;) {
    const std::uint64_t first = random.bits() >> 11;  // fraction in units of 2^-53
    std::uint64_t last = first;
    bool odd = true;
    for (std::uint64_t u = random.bits() >> 11; u < last; u = random.bits() >> 11) {
      last = u;
      odd = !odd;
    }
    if (odd) {
      __extension__ using Wide = unsigned __int128;
      const auto part = static_cast<std::int64_t>(Wide{first} * static_cast<std::uint64_t>(mean.ps) >> 53);
      return mean * whole + Time{part};
    }
    ++whole;
  }
}

}  // namespace hybrid
