// The CPUs of a host for the thread of the live scheduler, off the cores of the ranks.
#pragma once

#include <span>
#include <string>

#include "libhybrid/placement/cpu_set.h"
#include "libhybrid/placement/machine.h"

namespace hybrid {

struct ServiceCpus {
  std::string cpus;    // list form; "": unrestricted
  bool spare = false;  // at least one processing unit has no rank
  std::string note;    // for people, one line
};

/// `bindings`: of the host's ranks; an empty one is unbound. Prefers cores on which no rank may run, then
/// such processing units. Otherwise (for instance with unbound ranks) the thread is unrestricted, and `spare`
/// is true if the machine has more processing units than ranks.
ServiceCpus choose_service_cpus(const Machine& machine, std::span<const CpuSet> bindings);

}  // namespace hybrid
