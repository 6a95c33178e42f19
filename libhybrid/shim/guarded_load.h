// Loads that report unreadable memory instead of ending the program. On x86-64 a handler of SIGSEGV and
// SIGBUS recognises their instructions and continues behind them; it passes all other signals to the
// program's handlers. The library intercepts the program's calls that set such handlers
// (program_signals.cpp), so that ours stays in front. The kernel ends a program that faults while it blocks
// the signal: on a thread that blocks one of the two, and on other processors, the kernel reads the memory.
#pragma once

#include <signal.h>

#include <cstdint>

namespace hybrid::shim {

struct GuardedLoad {
  std::uint64_t value;
  std::uint64_t good;  // 0: the memory cannot be read, and the value is 0
};

/// Call before guarded_load(), also later in the program. Costs a comparison if called before; every 4096th
/// call verifies that no other handler was set in a way that cannot be intercepted.
void guard_loads();

/// Reads 1, 2, 4 or 8 bytes, zero-extended.
GuardedLoad guarded_load(std::uint64_t at, std::uint32_t bytes);

/// The program may have changed the signal mask of this thread.
void signal_mask_changed();

/// As sigaction(), of the program. For SIGSEGV and SIGBUS once guard_loads() was called: keeps ours in front.
int set_program_handler(int signal, const struct sigaction* handler, struct sigaction* before);

}  // namespace hybrid::shim
