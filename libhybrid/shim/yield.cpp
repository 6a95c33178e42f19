#include "libhybrid/shim/yield.h"

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "libhybrid/shim/next_function.h"
#include "libhybrid/shim/start_options.h"
#include "libhybrid/shim/thread.h"
#include "libhybrid/shim/wrappers.h"

namespace hybrid::shim {

namespace {
std::atomic<bool> yielding{false};
NextFunction<unsigned (*)(void*)> next_progress{"ucp_worker_progress"};
}  // namespace

void set_yield(bool yes) { yielding.store(yes, std::memory_order_relaxed); }
bool yields() { return yielding.load(std::memory_order_relaxed); }

bool launched_oversubscribed() {
  const int local_ranks = number_in("MPI_LOCALNRANKS", 0);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  return local_ranks > CPU_COUNT(&allowed);
}

}  // namespace hybrid::shim

// The worker is an opaque pointer to us. Returns how many events were progressed, as UCX does.
extern "C" HYBRID_SHIM_EXPORT unsigned ucp_worker_progress(void* worker) {
  using namespace hybrid::shim;
  const unsigned progressed = next_progress.get()(worker);
  if (progressed == 0 && yields()) {
    ++yields_of_thread;
    sched_yield();
  }
  return progressed;
}
