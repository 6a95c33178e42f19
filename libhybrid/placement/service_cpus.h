// Where the live scheduler's thread may run on a host: off the ranks' cores.
#pragma once

#include <span>
#include <string>

#include "libhybrid/placement/cpu_set.h"
#include "libhybrid/placement/machine.h"

namespace hybrid {

struct ServiceCpus {
  std::string cpus;    // list form; "": unrestricted
  bool spare = false;  // the ranks leave at least one processing unit free
  std::string note;    // for people, one line
};

/// `bindings`: of the host's ranks; an empty one is unbound. Prefers cores that no rank may run on, then
/// processing units that none may run on; with unbound ranks the thread is unrestricted, and the machine has
/// room when it has more processing units than ranks.
ServiceCpus choose_service_cpus(const Machine& machine, std::span<const CpuSet> bindings);

}  // namespace hybrid
