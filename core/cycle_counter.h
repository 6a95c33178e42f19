// The processor's cycle counter as a clock.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hybrid {

/// Whether the counter runs at one rate at all frequencies and in all sleep states of the processor (Linux:
/// constant_tsc and nonstop_tsc; CPUID 8000'0007h: invariant TSC). Only such a counter can serve as a clock.
inline bool has_steady_cycle_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x8000'0007u, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#elif defined(__aarch64__)
  return true;  // the generic timer, by definition
#else
  return false;
#endif
}

}  // namespace hybrid
