#include "cli/trace_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/unknown_variables.h"

namespace hybrid {

void TraceArguments::declare(CLI::App& app) {
  app.add_option("TRACE", traces_,
                 "OTF2 archive: its anchor file, or a directory that holds one (of hybrid run, Score-P, ...)")
      ->required()
      ->expected(1)
      ->type_size(1);
  declare_options(app);
}

void TraceArguments::declare_many(CLI::App& app) {
  app.add_option("TRACE", traces_,
                 "OTF2 archives: an anchor file, or a directory that holds one (of hybrid run, Score-P, ...)")
      ->required();
  declare_options(app);
}

void TraceArguments::declare_options(CLI::App& app) {
  add_emulation_options(table_, options_);
  flags_.declare(app, table_, "Emulation");
  flags_.exclude("nodes", "network");
  json_.declare(app);
}

void TraceArguments::settle() {
  json_.check();
  warn_of_unknown(flags_.apply(table_, environ));
  check_job(options_);
}

}  // namespace hybrid
