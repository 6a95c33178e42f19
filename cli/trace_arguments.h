// What the sub-commands share that read a trace and take a job's emulation options.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

class TraceArguments {
 public:
  /// TRACE, the emulation options, --json.
  void declare(CommandLine& line);
  /// The same with TRACE... `defaults`: of the options.
  void declare_many(CommandLine& line, const JobOptions& defaults = {});
  /// After parsing: settles the options and refuses what cannot be (UserError), also a trace that is given
  /// twice.
  void settle();

  /// The flags that were given.
  auto given() const { return flags_.given(); }
  /// Those, and the keys of the configuration file.
  auto names_given() const { return flags_.names_given(); }

  const std::string& trace() const { return traces_.front(); }
  const std::vector<std::string>& traces() const { return traces_; }
  const JobOptions& options() const { return options_; }
  const JsonOutput& json() const { return json_; }

 private:
  void declare_options(CommandLine& line);

  std::vector<std::string> traces_;
  JobOptions options_;
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

}  // namespace hybrid
