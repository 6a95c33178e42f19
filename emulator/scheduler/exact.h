// The exact optimum of a pass: as many connections established as can be (maximum_matching.h), beside those
// that stay. The truth that other one-slot algorithms are measured against.
//
// The pass starts from the schedule of `greedy-release-first` under its rotating priority. What is added to
// it moves connections of this pass, but leaves no port of it unmatched: ports of high priority are served as
// by the greedy schedulers.
#pragma once

#include <vector>

#include "core/port_set.h"
#include "emulator/scheduler/maximum_matching.h"
#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class ExactScheduler final : public Scheduler {
 public:
  explicit ExactScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  OpenPorts open_;
  PortSet refused_;  // inputs that the greedy schedule leaves out
  MaximumMatching matching_;
  std::vector<Connection> toggles_;
};

}  // namespace hybrid
