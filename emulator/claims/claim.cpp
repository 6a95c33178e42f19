#include "emulator/claims/claim.h"

#include <cstddef>
#include <mutex>

#include "core/parallel.h"

namespace hybrid {

void run_jobs(const ClaimContext& context, std::size_t count, const std::function<void(std::size_t)>& job) {
  std::mutex progress;
  std::size_t done = 0;
  run_parallel(count, context.threads, [&](std::size_t i) {
    job(i);
    const std::lock_guard lock(progress);
    ++done;
    if (context.progress) context.progress(done, count);
  });
}

}  // namespace hybrid
