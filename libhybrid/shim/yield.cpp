#include "libhybrid/shim/yield.h"

#include <sched.h>

#include <atomic>

#include "libhybrid/shim/interposition.h"
#include "libhybrid/shim/thread.h"

namespace hybrid::shim {

namespace {
std::atomic<bool> yielding{false};
NextFunction<unsigned (*)(void*)> next_progress{"ucp_worker_progress"};
}  // namespace

void set_yield(bool yes) { yielding.store(yes, std::memory_order_relaxed); }
bool yields() { return yielding.load(std::memory_order_relaxed); }

}  // namespace hybrid::shim

// The worker is opaque here. Returns the number of progressed events, as UCX does.
extern "C" HYBRID_SHIM_EXPORT unsigned ucp_worker_progress(void* worker) {
  using namespace hybrid::shim;
  const unsigned progressed = next_progress.get()(worker);
  if (progressed == 0 && yields()) {
    ++yields_of_thread;
    sched_yield();
  }
  return progressed;
}
