#include "emulator/claims/claim.h"

#include <cstddef>
#include <mutex>
#include <utility>

#include "core/parallel.h"

namespace hybrid {

void ClaimModel::apply(SwitchParameters& parameters, TrafficOptions& traffic) const {
  use_model(dissertation, parameters);
  use_model(dissertation, traffic);
  if (change) change(parameters, traffic);
}

ClaimModel our_model() { return {"ours", false, {}, {}}; }
ClaimModel dissertation_model() { return {"dissertation", true, {}, {}}; }
ClaimModel reading(std::string options, std::string open,
                   std::function<void(SwitchParameters&, TrafficOptions&)> change, bool contradicts) {
  return {std::move(options), true, std::move(open), std::move(change), contradicts};
}

void run_jobs(const ClaimContext& context, std::size_t count, const std::function<void(std::size_t)>& job) {
  std::mutex progress;
  std::size_t done = 0;
  if (context.progress) context.progress(0, count);
  run_parallel(count, context.threads, [&](std::size_t i) {
    job(i);
    const std::lock_guard lock(progress);
    ++done;
    if (context.progress) context.progress(done, count);
  });
}

}  // namespace hybrid
