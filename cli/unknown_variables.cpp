#include "cli/unknown_variables.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cli/schedule_options.h"
#include "core/option.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

std::vector<std::string> all_variables() {
  JobOptions job;
  TrafficOptions traffic;
  ScheduleOptions schedule;
  OptionTable jobs, patterns, schedules;  // a name may stand in several
  add_recording_options(jobs, job);
  add_emulation_options(jobs, job);
  add_traffic_options(patterns, traffic);
  add_request_options(schedules, schedule);
  add_scheduling_options(schedules, schedule);
  std::vector<std::string> names;
  for (const OptionTable* table : {&jobs, &patterns, &schedules})
    for (const Option& option : table->options()) names.push_back(environment_name(option.name));
  for (const char* only_simulate : {"commands", "commands-output", "timeline"})
    names.push_back(environment_name(only_simulate));
  return names;
}

}  // namespace

void warn_of_unknown(const std::vector<std::string>& variables) {
  if (variables.empty()) return;
  const std::vector<std::string> all = all_variables();
  const std::vector<std::string_view> known(all.begin(), all.end());
  for (const std::string& variable : variables) {
    if (std::find(known.begin(), known.end(), variable) != known.end()) continue;
    const std::string_view meant = likely_meant(variable, known);
    std::fprintf(stderr, "hybrid: warning: no option has the variable %s%s%.*s; see docs/options.md\n",
                 variable.c_str(), meant.empty() ? "" : "; likely meant: ", static_cast<int>(meant.size()),
                 meant.data());
  }
}

}  // namespace hybrid
