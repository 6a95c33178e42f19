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
}  // namespace detail

/// Lives as long as the call. Holds the frame of the outermost call rather than a depth: an error handler may
/// leave MPI by longjmp, and the next call from the same or an outer frame then finds the way free.
class OutermostCall {
 public:
  [[gnu::always_inline]] OutermostCall() {
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t outer = detail::outermost_frame;
    outermost_ = outer == 0 || frame >= outer;
    if (outermost_) detail::outermost_frame = frame;
  }
  [[gnu::always_inline]] ~OutermostCall() {
    if (outermost_) detail::outermost_frame = 0;
  }
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;

  explicit operator bool() const { return outermost_; }

 private:
  bool outermost_;
};

}  // namespace hybrid::shim
