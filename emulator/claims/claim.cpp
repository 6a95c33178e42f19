#include "emulator/claims/claim.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace hybrid {

void run_jobs(const ClaimContext& context, std::size_t count, const std::function<void(std::size_t)>& job) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  std::mutex progress;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
      const std::lock_guard lock(progress);
      ++done;
      if (context.progress) context.progress(done, count);
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < context.threads; ++t) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace hybrid
