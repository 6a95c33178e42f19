#include "emulator/claims/points.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace hybrid {

std::size_t ClaimPoints::add(const SwitchParameters& parameters, const TrafficOptions& traffic) {
  points_.push_back({parameters, traffic});
  return points_.size() - 1;
}

void ClaimPoints::run(const ClaimContext& context) {
  const std::size_t repeats = std::max(1U, context.repeats), all = points_.size() * repeats;
  std::vector<Result> runs(all);
  std::vector<std::exception_ptr> errors(all);
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all; i = next++) {
      const Point& point = points_[i / repeats];
      SwitchParameters parameters = point.parameters;
      parameters.seed = context.seed + i % repeats;
      try {
        const Measures m = simulate(parameters, point.traffic);
        runs[i] = {m.utilisation, m.hit_rate};
      } catch (...) {
        errors[i] = std::current_exception();
      }
      const std::lock_guard lock(telling);
      ++done;
      if (context.progress) context.progress(done, all);
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < context.threads; ++t) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  results_.assign(points_.size(), {});
  for (std::size_t i = 0; i < all; ++i) {
    results_[i / repeats].utilisation += runs[i].utilisation / static_cast<double>(repeats);
    results_[i / repeats].hit_rate += runs[i].hit_rate / static_cast<double>(repeats);
  }
}

}  // namespace hybrid
