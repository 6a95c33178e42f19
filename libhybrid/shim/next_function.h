// The definition of a function that we stand in front of: the next one in the search order of the dynamic
// linker (another tool's, or the MPI library's). Looked up at its first call, so that the library costs
// nothing in programs that do not use MPI, and does not itself depend on an MPI library.
#pragma once

#include <atomic>

namespace hybrid::shim {

/// The next definition of `name` after ours, or nullptr. Also finds it in libraries that were loaded
/// privately (dlopen with RTLD_LOCAL, as interpreters load their extensions).
void* find_next(const char* name);

/// The same; ends the program with a message when there is none.
void* require_next(const char* name);

template <class Function>
class NextFunction {
 public:
  constexpr explicit NextFunction(const char* name) : name_(name) {}
  Function get() {
    Function function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
      function = reinterpret_cast<Function>(require_next(name_));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  const char* name_;
  std::atomic<Function> function_{nullptr};
};

}  // namespace hybrid::shim
