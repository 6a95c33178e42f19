// The calls by which a program sets signal handlers and masks, in front of the C library's. Handlers of
// SIGSEGV and SIGBUS stay behind ours in programs with inspectors (guarded_load.h); all else is as without
// us.
#include <signal.h>

#include <cerrno>

#include "libhybrid/shim/guarded_load.h"
#include "libhybrid/shim/interposition.h"

using hybrid::shim::set_program_handler;

extern "C" HYBRID_SHIM_EXPORT int sigaction(int signal, const struct sigaction* handler,
                                            struct sigaction* before) noexcept {
  return set_program_handler(signal, handler, before);
}

extern "C" HYBRID_SHIM_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  static constinit hybrid::shim::NextFunction<decltype(&::signal)> next{"signal"};
  if (number != SIGSEGV && number != SIGBUS) return next.get()(number, handler);
  struct sigaction wanted{}, before{};  // as glibc's
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  sigemptyset(&wanted.sa_mask);
  sigaddset(&wanted.sa_mask, number);
  return set_program_handler(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

extern "C" HYBRID_SHIM_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  static constinit hybrid::shim::NextFunction<decltype(&::pthread_sigmask)> next{"pthread_sigmask"};
  if (set != nullptr) hybrid::shim::signal_mask_changed();
  return next.get()(how, set, before);
}

extern "C" HYBRID_SHIM_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  static constinit hybrid::shim::NextFunction<decltype(&::sigprocmask)> next{"sigprocmask"};
  if (set != nullptr) hybrid::shim::signal_mask_changed();
  return next.get()(how, set, before);
}
