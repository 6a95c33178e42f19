#include "libhybrid/shim/guarded_load.h"

#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

#include "libhybrid/shim/interposition.h"

#if defined(__x86_64__)
// {value, 1} = hybrid_guarded_load_N(address): reads N bytes; {0, 0} if they cannot be read.
asm(R"(
.pushsection .text
.hidden hybrid_guarded_load_1, hybrid_guarded_load_2, hybrid_guarded_load_4, hybrid_guarded_load_8
.hidden hybrid_guarded_begin, hybrid_guarded_end, hybrid_guarded_failed
.globl hybrid_guarded_load_1, hybrid_guarded_load_2, hybrid_guarded_load_4, hybrid_guarded_load_8
.globl hybrid_guarded_begin, hybrid_guarded_end, hybrid_guarded_failed
.macro hybrid_guarded_load bytes, instruction
hybrid_guarded_load_\bytes:
  \instruction
  movl $1, %edx
  ret
.endm
hybrid_guarded_begin:
hybrid_guarded_load 1, "movzbl (%rdi), %eax"
hybrid_guarded_load 2, "movzwl (%rdi), %eax"
hybrid_guarded_load 4, "movl (%rdi), %eax"
hybrid_guarded_load 8, "movq (%rdi), %rax"
hybrid_guarded_end:
hybrid_guarded_failed:
  xorl %eax, %eax
  xorl %edx, %edx
  ret
.popsection
)");
#endif

namespace hybrid::shim {
namespace {

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);
constinit NextFunction<Sigaction> next_sigaction{"sigaction"};

GuardedLoad load_by_kernel(std::uint64_t at, std::uint32_t bytes) {
  std::uint64_t value = 0;
  iovec to{&value, bytes};
  iovec from{reinterpret_cast<void*>(at), bytes};
  const bool good = process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
  return {good ? value : 0, good};
}

#if defined(__x86_64__)
/// Whether the thread receives the signals of its faults.
enum class Mask : std::uint8_t { unknown, receives, blocks };
[[gnu::tls_model("initial-exec")]] constinit thread_local Mask thread_mask = Mask::unknown;

void query_mask() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  thread_mask = sigismember(&blocked, SIGSEGV) == 1 || sigismember(&blocked, SIGBUS) == 1 ? Mask::blocks
                                                                                          : Mask::receives;
}

extern "C" {
GuardedLoad hybrid_guarded_load_1(std::uint64_t);
GuardedLoad hybrid_guarded_load_2(std::uint64_t);
GuardedLoad hybrid_guarded_load_4(std::uint64_t);
GuardedLoad hybrid_guarded_load_8(std::uint64_t);
extern const char hybrid_guarded_begin[], hybrid_guarded_end[], hybrid_guarded_failed[];
}

/// The program's handler of a signal. Ours reads it at any time; it is replaced as a whole.
class ProgramHandler {
 public:
  const struct sigaction& get() const { return kept_[latest_.load(std::memory_order_acquire)]; }
  /// Precondition: the mutex is held.
  void set(const struct sigaction& handler) {
    const std::size_t place = (latest_.load(std::memory_order_relaxed) + 1) % kept_.size();
    kept_[place] = handler;
    latest_.store(place, std::memory_order_release);
  }

 private:
  std::array<struct sigaction, 16> kept_{};
  std::atomic<std::size_t> latest_{0};
};

constinit std::mutex handlers_mutex;
constinit std::atomic<bool> in_front{false};
constinit std::atomic<std::uint32_t> guard_calls{0};
ProgramHandler of_segv, of_bus;

ProgramHandler& handler_of(int signal) { return signal == SIGSEGV ? of_segv : of_bus; }

void on_fault(int signal, siginfo_t* info, void* context) {
  auto* const machine = static_cast<ucontext_t*>(context);
  const auto at = static_cast<std::uint64_t>(machine->uc_mcontext.gregs[REG_RIP]);
  if (at >= reinterpret_cast<std::uint64_t>(hybrid_guarded_begin) &&
      at < reinterpret_cast<std::uint64_t>(hybrid_guarded_end)) {
    machine->uc_mcontext.gregs[REG_RIP] =
        static_cast<greg_t>(reinterpret_cast<std::uint64_t>(hybrid_guarded_failed));
    return;
  }
  const struct sigaction theirs = handler_of(signal).get();
  const bool once = (static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0;
  if (once || theirs.sa_handler == SIG_DFL || theirs.sa_handler == SIG_IGN) {
    // As without us. For the default effect the instruction must fault again after the return.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    next_sigaction.get()(signal, &standard, nullptr);
  }
  if ((theirs.sa_flags & SA_SIGINFO) != 0) return theirs.sa_sigaction(signal, info, context);
  if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) theirs.sa_handler(signal);
}

bool is_ours(const struct sigaction& handler) {
  return (handler.sa_flags & SA_SIGINFO) != 0 && handler.sa_sigaction == on_fault;
}

/// Installs ours with the mask and flags of the program's handler, so that it is called as without us.
int install(int signal, const struct sigaction& theirs) {
  struct sigaction ours = theirs;
  ours.sa_flags = (ours.sa_flags | SA_SIGINFO) & ~static_cast<int>(SA_RESETHAND);
  ours.sa_sigaction = on_fault;
  return next_sigaction.get()(signal, &ours, nullptr);
}

void put_in_front() {
  const std::lock_guard lock(handlers_mutex);
  for (const int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction now{};
    if (next_sigaction.get()(signal, nullptr, &now) != 0 || is_ours(now)) continue;
    handler_of(signal).set(now);
    install(signal, now);
  }
  in_front.store(true, std::memory_order_release);
}
#endif

}  // namespace

#if defined(__x86_64__)
void guard_loads() {
  constexpr std::uint32_t kVerified = 4096;
  if (guard_calls.fetch_add(1, std::memory_order_relaxed) % kVerified == 0 ||
      !in_front.load(std::memory_order_acquire)) [[unlikely]]
    put_in_front();
  if (thread_mask == Mask::unknown) [[unlikely]]
    query_mask();
}

void signal_mask_changed() { thread_mask = Mask::unknown; }

GuardedLoad guarded_load(std::uint64_t at, std::uint32_t bytes) {
  if (thread_mask != Mask::receives) [[unlikely]]
    return load_by_kernel(at, bytes);
  switch (bytes) {
    case 1:
      return hybrid_guarded_load_1(at);
    case 2:
      return hybrid_guarded_load_2(at);
    case 4:
      return hybrid_guarded_load_4(at);
    default:
      return hybrid_guarded_load_8(at);
  }
}

int set_program_handler(int signal, const struct sigaction* handler, struct sigaction* before) {
  if ((signal != SIGSEGV && signal != SIGBUS) || !in_front.load(std::memory_order_acquire))
    return next_sigaction.get()(signal, handler, before);
  const std::lock_guard lock(handlers_mutex);
  struct sigaction now{};
  if (const int result = next_sigaction.get()(signal, nullptr, &now); result != 0) return result;
  if (is_ours(now)) now = handler_of(signal).get();
  if (handler != nullptr) {
    handler_of(signal).set(*handler);
    if (const int result = install(signal, *handler); result != 0) return result;
  }
  if (before != nullptr) *before = now;
  return 0;
}
#else
void guard_loads() {}
void signal_mask_changed() {}

GuardedLoad guarded_load(std::uint64_t at, std::uint32_t bytes) { return load_by_kernel(at, bytes); }

int set_program_handler(int signal, const struct sigaction* handler, struct sigaction* before) {
  return next_sigaction.get()(signal, handler, before);
}
#endif

}  // namespace hybrid::shim
