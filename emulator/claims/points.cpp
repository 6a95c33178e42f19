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
  std::vector<double> runs(all, 0);
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
        runs[i] = simulate(parameters, point.traffic).utilisation;
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
  utilisation_.assign(points_.size(), 0);
  for (std::size_t i = 0; i < all; ++i) utilisation_[i / repeats] += runs[i] / static_cast<double>(repeats);
}

}  // namespace hybrid
