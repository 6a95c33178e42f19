#include "libhybrid/shim/start_options.h"

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

JobOptions read_options() {
  // First of all, so that it holds for what is said of the other settings.
  if (const char* value = std::getenv("HYBRID_QUIET"); value != nullptr) {
    const std::string_view text = value;
    be_quiet(text != "0" && text != "off" && text != "false" && text != "no");
  }
  JobOptions options;
  OptionTable table;
  add_job_options(table, options);
  const std::vector<std::string> unknown = apply_environment(table, environ);
  check_job(options);
  be_quiet(options.quiet);
  if (launcher_rank() == 0 && !unknown.empty()) {
    std::vector<std::string> known;
    for (const Option& option : table.options()) known.push_back(environment_name(option.name));
    std::string names, mend;
    for (const std::string& name : unknown) {
      names += (names.empty() ? "" : ", ") + name;
      const std::string_view meant = closest_variable(name, {known.begin(), known.end()});
      if (!meant.empty()) mend += "\n  Did you mean " + std::string(meant) + "?";
    }
    warn("no option is called " + names + "; ignored" + mend);
  }
  return options;
}

}  // namespace hybrid::shim
