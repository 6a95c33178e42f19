// Whether the calling thread stopped running since a mark, because it was preempted or waited. Costs a store
// and a load of the thread's own memory, no system call.
//
// Before a thread returns from the kernel after it was switched out, Linux handles its restartable sequence
// (rseq(2)): it clears the pointer to the sequence if the thread is outside of it. Later kernels than 6.18
// may do so after interrupts only, so that waits are not seen; visible() finds out. mark() sets the pointer
// to a sequence that no code is in, so that it stays set exactly as long as the thread runs. A signal, and a
// program with restartable sequences of its own, look like a switch.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

#include <cstddef>
#define HYBRID_HAS_RSEQ
#endif

namespace hybrid {

class ContextSwitches {
 public:
  /// Whether switches can be seen: glibc has registered this thread (2.35 and later, and neither the tunable
  /// glibc.pthread.rseq=0 nor a tool such as valgrind prevents it), and the kernel clears the pointer. Waits
  /// a few times. Otherwise, the other functions must not be called.
  static bool visible();

#ifdef HYBRID_HAS_RSEQ
  static void mark() { sequence() = empty_sequence; }
  static bool since_mark() { return sequence() != empty_sequence; }

 private:
  static volatile std::uint64_t& sequence() {
    return *reinterpret_cast<volatile std::uint64_t*>(static_cast<char*>(__builtin_thread_pointer()) +
                                                      __rseq_offset + offsetof(struct rseq, rseq_cs));
  }
  /// Address of the sequence's description, for the kernel.
  [[gnu::visibility("hidden")]] static constinit std::uint64_t empty_sequence;
#else
  static void mark() {}
  static bool since_mark() { return true; }
#endif
};

}  // namespace hybrid
