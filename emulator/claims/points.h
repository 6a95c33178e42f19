// Many emulations of synthetic traffic, run beside each other: the points of a figure.
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/measures.h"
#include "emulator/parameters.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {

class ClaimPoints {
 public:
  /// Returns the point's number. The seed comes from the context.
  std::size_t add(const SwitchParameters& parameters, const TrafficOptions& traffic);
  /// Runs all points, `context.repeats` times each. Throws what a run throws (the first point's).
  void run(const ClaimContext& context);
  /// Mean over the repeats.
  double utilisation(std::size_t point) const { return utilisation_[point]; }

 private:
  struct Point {
    SwitchParameters parameters;
    TrafficOptions traffic;
  };
  std::vector<Point> points_;
  std::vector<double> utilisation_;
};

}  // namespace hybrid
