// Options that change nothing in what is emulated. A note on standard error names them.
//
// They are not errors: a script may give one set of options for every technique. But the result of
// `--technique wormhole --slots 16` must not be read as that of a switch with 16 slots.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/traffic/commands.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

/// What is emulated, as far as it decides which options are used.
struct Emulated {
  std::vector<SwitchParameters> runs;       // checked
  const TrafficOptions* traffic = nullptr;  // of synthetic traffic; null: a job or command files
  bool hardware_multicast = false;
};

/// Those of the options `given` that no run uses, as one sentence for each reason:
/// "--slots and --guard change nothing here: technique wormhole does not use them". An option is used unless
/// the technique, or the allocation, scheduler, predictor or pattern of a run, does not use it
/// (uses_option()).
std::vector<std::string> ignored_options(const std::set<std::string, std::less<>>& given,
                                         const Emulated& emulated);

/// The emulations of a job's report, without the numbers of slots.
std::vector<SwitchParameters> compared_runs(const JobOptions& job);

/// The same for a job. The options of predictors are always used: the report scores several.
std::vector<std::string> ignored_options(std::set<std::string, std::less<>> given, const JobOptions& job);

/// The same for commands in files that preload, if no run preloads anything.
std::vector<std::string> ignored_commands(const std::vector<CommandFile>& files, const Emulated& emulated);

/// Prints each sentence as a line "hybrid: note: ..." to standard error.
void print_notes(const std::vector<std::string>& sentences);

}  // namespace hybrid
