#include "cli/trace_arguments.h"

#include <unistd.h>

#include <filesystem>

#include "cli/unknown_variables.h"
#include "core/error.h"

namespace hybrid {

namespace {

namespace fs = std::filesystem;

bool is_anchor_in(const fs::path& file, const fs::path& directory) {
  return file.parent_path() == directory && !fs::is_directory(file);
}

// A trace that counts twice would make the spread of the runs too small.
void refuse_repeated(const std::vector<std::string>& traces) {
  std::vector<fs::path> places;
  for (const std::string& trace : traces) {
    std::error_code missing;  // reported when it is opened
    const fs::path place = fs::canonical(trace, missing);
    for (std::size_t i = 0; i < places.size() && !missing; ++i)
      if (place == places[i] || is_anchor_in(place, places[i]) || is_anchor_in(places[i], place))
        throw UserError(trace + ": the same trace as " + traces[i], "Give each trace once.");
    places.push_back(place);
  }
}

}  // namespace

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
  refuse_repeated(traces_);
}

}  // namespace hybrid
