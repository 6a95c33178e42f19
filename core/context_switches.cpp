#include "core/context_switches.h"

#include <ctime>

namespace hybrid {

#ifdef HYBRID_HAS_RSEQ

constinit std::uint64_t ContextSwitches::empty_sequence = 0;

bool ContextSwitches::visible() {
  if (__rseq_size == 0) return false;
  // The sequence is a word of data. The kernel requires the signature before the address where an interrupted
  // sequence continues, which is never used here. Both must stay mapped: libhybrid.so is never unloaded (-z
  // nodelete).
  static constexpr std::uint32_t kCode[] = {RSEQ_SIG, 0, 0};
  static rseq_cs description;
  description.start_ip = reinterpret_cast<std::uintptr_t>(&kCode[2]);
  description.post_commit_offset = sizeof kCode[2];
  description.abort_ip = reinterpret_cast<std::uintptr_t>(&kCode[1]);
  empty_sequence = reinterpret_cast<std::uintptr_t>(&description);
  // Each of three waits must be seen. A preemption would be seen by any kernel, but is rare.
  constexpr int kWaits = 3, kAttempts = 10;
  int seen = 0;
  for (int attempt = 0; attempt < kAttempts && seen < kWaits; ++attempt) {
    mark();
    if (since_mark()) continue;  // preempted
    const timespec short_wait{0, 1'000};
    nanosleep(&short_wait, nullptr);
    seen = since_mark() ? seen + 1 : 0;
  }
  return seen == kWaits;
}

#else

bool ContextSwitches::visible() { return false; }

#endif

}  // namespace hybrid
