// Drains a demand matrix through a crossbar whose reconfiguration costs time, with a packet network of a
// stated share of the link rate beside it: a sequence of configurations, each held for a time.
//
// Contract
// - The configurations, one after the other, each after its reconfiguration time, and the packet network
// drain all
//   bytes that are asked for; drain_time() (an independent replay) says when.
// - With `partial`, only ports whose connection changes stand still while the fabric reconfigures; otherwise
// all do.
// - The same problem gives the same result.
#pragma once

#include <vector>

#include "core/configuration.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/scheduler/request.h"

namespace hybrid {

struct DemandProblem {
  const RequestSet& set;  // bytes are the demand
  BitRate link_rate = 0;
  Time reconfiguration{};
  bool partial = false;
  double packet_share =
      0;  // of the link rate, at each port of the packet network beside the fabric; 0: there is none
};

struct TimedConfiguration {
  Configuration configuration;
  Time hold{};  // how long it carries data, reconfiguration not included
};

class DemandScheduler {
 public:
  virtual ~DemandScheduler() = default;
  virtual std::vector<TimedConfiguration> drain(const DemandProblem& problem) = 0;
};

}  // namespace hybrid
