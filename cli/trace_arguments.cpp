#include "cli/trace_arguments.h"

#include <unistd.h>

#include "cli/unknown_variables.h"

namespace hybrid {

void TraceArguments::declare(CommandLine& line) {
  line.add_argument(
      "TRACE", traces_.emplace_back(),
      "OTF2 archive: its anchor file, or a directory that holds one (of hybrid run, Score-P, ...)",
      CommandLine::Need::required);
  declare_options(line);
}

void TraceArguments::declare_many(CommandLine& line, const JobOptions& defaults) {
  options_ = defaults;
  line.add_arguments(
      "TRACE", traces_,
      "OTF2 archives: an anchor file, or a directory that holds one (of hybrid run, Score-P, ...)",
      CommandLine::Need::required);
  declare_options(line);
}

void TraceArguments::declare_options(CommandLine& line) {
  add_emulation_options(table_, options_);
  flags_.declare(line, table_, "Emulation");
  flags_.exclude("nodes", "network");
  json_.declare(line);
}

void TraceArguments::settle() {
  json_.check();
  warn_of_unknown(flags_.apply(table_, environ));
  check_job(options_);
}

}  // namespace hybrid
