// What a wrapper of a library function needs: an exported symbol, the next definition of the function, and
// whether the call is the program's own or nested in another recorded call.
#pragma once

#include <atomic>
#include <cstdint>

/// Exports a function from libhybrid.so (see also exported_symbols.map).
#define HYBRID_SHIM_EXPORT __attribute__((visibility("default")))

namespace hybrid::shim {

/// Returns the next definition of `name` after ours in the search order of the dynamic linker (another tool's
/// or the MPI library's), or nullptr. Libraries that were loaded privately (dlopen with RTLD_LOCAL, as
/// interpreters load their extensions) are searched last.
void* find_next(const char* name);

/// The next definition of one function. It is looked up at the first call, so that the library costs nothing
/// in programs that do not use MPI and does not itself depend on an MPI library.
class NextDefinition {
 public:
  constexpr explicit NextDefinition(const char* name) : name_(name) {}

 protected:
  [[gnu::always_inline]] void* address() {
    void* const address = address_.load(std::memory_order_relaxed);
    return address != nullptr ? address : look_up();
  }

 private:
  /// Ends the program with a message when there is no definition.
  [[gnu::cold]] void* look_up();

  const char* name_;
  std::atomic<void*> address_{nullptr};
};

/// The same with the function's type, a pointer to a function.
template <class Function>
class NextFunction : NextDefinition {
 public:
  using NextDefinition::NextDefinition;
  [[gnu::always_inline]] Function get() { return reinterpret_cast<Function>(address()); }
};

namespace detail {
// Initial-exec: the library is loaded at start-up, and the hot path must not call __tls_get_addr.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local std::uintptr_t outermost_frame = 0;
[[gnu::tls_model("initial-exec")]] inline constinit thread_local std::uintptr_t call_site = 0;
[[gnu::tls_model("initial-exec")]] inline constinit thread_local const char* called_function = nullptr;
[[gnu::tls_model("initial-exec")]] inline constinit thread_local std::uintptr_t fortran_call_site = 0;
}  // namespace detail

/// Return address of the program's current MPI call on this thread; it identifies the call site.
[[gnu::always_inline]] inline std::uintptr_t call_site() { return detail::call_site; }

/// Name of the function of that call, without the P of PMPI and without "_c".
[[gnu::always_inline]] inline const char* called_function() { return detail::called_function; }

/// The set of calls that OutermostCall guards: all recorded functions.
struct AllCalls {
  [[gnu::always_inline]] static std::uintptr_t& frame() { return detail::outermost_frame; }
  [[gnu::always_inline]] static void begins(std::uintptr_t returns_to, const char* function) {
    detail::called_function = function;
    const std::uintptr_t fortran = detail::fortran_call_site;
    detail::call_site = fortran != 0 ? fortran : returns_to;
  }
};

/// A call of MPI from Fortran. The library's Fortran function calls the C function, whose return address is
/// in the library: the call site is that of the Fortran function.
class FortranCall {
 public:
  [[gnu::always_inline]] explicit FortranCall(void* returns_to) {
    detail::fortran_call_site = reinterpret_cast<std::uintptr_t>(returns_to);
  }
  [[gnu::always_inline]] ~FortranCall() { detail::fortran_call_site = 0; }
  FortranCall(const FortranCall&) = delete;
  FortranCall& operator=(const FortranCall&) = delete;
};

/// Defines the Fortran function `name`, which forwards its arguments. All arguments of MPI's Fortran
/// functions are addresses (and lengths of strings), at most 14: those that are not there are passed on as
/// any value.
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is defined
#define HYBRID_FORTRAN(name)                                                                    \
  extern "C" HYBRID_SHIM_EXPORT void name(                                                      \
      std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d, std::uintptr_t e, \
      std::uintptr_t f, std::uintptr_t g, std::uintptr_t h, std::uintptr_t i, std::uintptr_t j, \
      std::uintptr_t k, std::uintptr_t l, std::uintptr_t m, std::uintptr_t n) {                 \
    static constinit hybrid::shim::NextFunction<decltype(&name)> next(#name);                   \
    const auto function = next.get();                                                           \
    const hybrid::shim::FortranCall call(__builtin_return_address(0));                          \
    function(a, b, c, d, e, f, g, h, i, j, k, l, m, n);                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

/// The frame of a wrapper, which lies next to its caller's, and its return address, which identifies the call
/// site.
struct CallPlace {
  std::uintptr_t frame;
  std::uintptr_t returns_to;
};
#define HYBRID_CALL_PLACE                                                                \
  (hybrid::shim::CallPlace{reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), \
                           reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))})

/// Guard that is true for the outermost of nested calls on a thread. MPI libraries and tools call MPI
/// themselves (mpi_f08 bindings and ROMIO call PMPI_X, a tool's MPI_X calls PMPI_X), and both names are
/// wrapped: only the outermost call is the program's, so each transfer is recorded once.
///
/// The guard stores the frame of the outermost call, not a depth: an error handler may leave MPI by longjmp,
/// and the next call from the same or an outer frame is then outermost again.
///
/// `Calls` is the set of functions that count as nested in each other. Functions that begin or end a
/// recording have a set of one, because they do so also from within other calls, for example from an error
/// handler.
template <class Calls>
class OutermostOf {
 public:
  [[gnu::always_inline]] OutermostOf(const CallPlace& place, const char* function) {
    const std::uintptr_t outer = Calls::frame();
    outermost_ = outer == 0 || place.frame >= outer;
    if (!outermost_) return;
    Calls::frame() = place.frame;
    Calls::begins(place.returns_to, function);
  }
  [[gnu::always_inline]] ~OutermostOf() {
    if (outermost_) Calls::frame() = 0;
  }
  OutermostOf(const OutermostOf&) = delete;
  OutermostOf& operator=(const OutermostOf&) = delete;

  explicit operator bool() const { return outermost_; }

 private:
  bool outermost_;
};
using OutermostCall = OutermostOf<AllCalls>;

}  // namespace hybrid::shim
