// Options that change nothing in what is emulated: a note tells of them, once, on standard error.
//
// They are no error: scripts give one set of options to every technique. But who asks for --slots 16 of a
// switch that has no slots should not take the result for one of 16 slots.
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

/// What is emulated, as far as it decides which options matter.
struct Emulated {
  std::vector<SwitchParameters> runs;       // checked
  const TrafficOptions* traffic = nullptr;  // of synthetic traffic
  bool hardware_multicast = false;
};

/// One sentence for each reason: "--slots and --guard change nothing here: technique wormhole has no slots".
/// Of the options `asked_for`, those that no run heeds. An option that is not listed here matters, or is
/// refused elsewhere.
std::vector<std::string> unheeded_options(const std::set<std::string, std::less<>>& asked_for,
                                          const Emulated& emulated);

/// The same of a job, whose report also scores predictors: that heeds options, too.
std::vector<std::string> unheeded_options(std::set<std::string, std::less<>> asked_for,
                                          const JobOptions& job);

/// The same of the commands of files that would preload: where no run preloads anything.
std::vector<std::string> unheeded_commands(const std::vector<CommandFile>& files, const Emulated& emulated);

/// Prints each as a line "hybrid: note: ..." to standard error.
void note(const std::vector<std::string>& sentences);

}  // namespace hybrid
