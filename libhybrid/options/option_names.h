// The names of the options of all commands. All commands share variables and configuration files, so a
// command must know the options of the others to distinguish them from errors.
#pragma once

#include <string>
#include <vector>

namespace hybrid {

/// The options of jobs, of synthetic traffic and of `hybrid schedule`; a name may occur more than once.
const std::vector<std::string>& names_of_all_options();

}  // namespace hybrid
