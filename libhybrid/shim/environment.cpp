#include "libhybrid/shim/environment.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/option.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

int number_in(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end == text ? otherwise : static_cast<int>(value);
}

int launcher_rank() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const int rank = number_in(name, -1); rank >= 0) return rank;
  return 0;
}

bool launched_oversubscribed() {
  const int local_ranks = number_in("MPI_LOCALNRANKS", 0);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  return local_ranks > CPU_COUNT(&allowed);
}

JobOptions read_options() {
  // Before the other settings, so that it applies to messages about them.
  if (const char* value = std::getenv("HYBRID_QUIET"); value != nullptr) {
    const std::string_view text = value;
    set_quiet(text != "0" && text != "off" && text != "false" && text != "no");
  }
  JobOptions options;
  options.explain = false;  // MPI_Finalize returns sooner
  OptionTable table;
  add_job_options(table, options);
  const std::vector<std::string> unknown = apply_environment(table, environ);
  check_job(options);
  set_quiet(options.quiet);
  if (options.at_finalize == "auto") options.at_finalize = options.quiet ? "trace" : "emulate";
  if (launcher_rank() == 0 && !unknown.empty()) {
    std::vector<std::string> known;
    for (const Option& option : table.options()) known.push_back(environment_name(option.name));
    std::string names, suggestions;
    for (const std::string& name : unknown) {
      names += (names.empty() ? "" : ", ") + name;
      const std::string_view closest = closest_variable(name, {known.begin(), known.end()});
      if (!closest.empty()) suggestions += "\n  Did you mean " + std::string(closest) + "?";
    }
    warn("no option is called " + names + "; ignored" + suggestions);
  }
  return options;
}

}  // namespace hybrid::shim
