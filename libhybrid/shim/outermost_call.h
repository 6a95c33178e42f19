// Which of nested MPI calls is the program's own. MPI libraries and tools call MPI themselves (mpi_f08
// bindings and ROMIO enter by PMPI_X, a tool's MPI_X calls PMPI_X), and both names lead through us: only the
// outermost call of a thread is the program's, so that each transfer is seen once whoever calls it by
// whatever name.
#pragma once

#include <cstdint>

namespace hybrid::shim {

namespace detail {
// Initial-exec: the library is loaded at start-up, and the hot path must not call __tls_get_addr.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uintptr_t outermost_frame;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uintptr_t call_site;
}  // namespace detail

/// Where the program's own call that this thread is in returns to: it tells call sites apart. From Fortran
/// the address is the MPI library's, one for each of its functions.
[[gnu::always_inline]] inline std::uintptr_t call_site() { return detail::call_site; }

/// The calls that OutermostCall counts: all that are recorded.
struct AllCalls {
  [[gnu::always_inline]] static std::uintptr_t& frame() { return detail::outermost_frame; }
  [[gnu::always_inline]] static void begins(std::uintptr_t returns_to) { detail::call_site = returns_to; }
};

/// Lives as long as the call. Holds the frame of the outermost call rather than a depth: an error handler may
/// leave MPI by longjmp, and the next call from the same or an outer frame then finds the way free.
/// Of one function alone, with Calls of its own: what begins or ends a recording does so from within any
/// other call, as from an error handler.
template <class Calls>
class OutermostOf {
 public:
  [[gnu::always_inline]] OutermostOf() {
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t outer = Calls::frame();
    outermost_ = outer == 0 || frame >= outer;
    if (!outermost_) return;
    Calls::frame() = frame;
    Calls::begins(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
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
