#include "libhybrid/options/option_names.h"

#include "core/option.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

const std::vector<std::string>& names_of_all_options() {
  static const std::vector<std::string> all = [] {
    JobOptions job;
    TrafficOptions traffic;
    OptionTable jobs, patterns;  // some names are in both
    add_job_options(jobs, job);
    add_traffic_options(patterns, traffic);
    std::vector<std::string> names;
    for (const OptionTable* table : {&jobs, &patterns})
      for (const Option& option : table->options()) names.push_back(option.name);
    // Options that are declared in cli/: of `hybrid simulate`, then of `hybrid schedule`. A test of cli/
    // compares.
    names.insert(names.end(), {"commands", "commands-output", "timeline"});
    names.insert(names.end(),
                 {"requests", "density", "sizes", "repeats", "steps", "demand", "partial", "packet-share"});
    return names;
  }();
  return all;
}

}  // namespace hybrid
