// Clocks of tests: one that changes only when a test sets it, and the real one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "core/time.h"
#include "libhybrid/live/region.h"

namespace hybrid {

/// A tick is a picosecond.
class ManualClock {
 public:
  /// Ticks are never 0, so time 0 is tick 1; at() converts a time to ticks.
  static constexpr std::uint64_t kOrigin = 1;
  static std::uint64_t at(Time t) { return kOrigin + static_cast<std::uint64_t>(t.ps); }

  void set(Time t) { ticks_->store(at(t)); }
  LiveClock clock() const {
    return {[ticks = ticks_] { return ticks->load(); }, 1'000'000'000'000u};
  }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> ticks_ = std::make_shared<std::atomic<std::uint64_t>>(kOrigin);
};

/// A tick is a nanosecond.
inline LiveClock real_clock() {
  return {
      [] { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); },
      1'000'000'000};
}

}  // namespace hybrid
