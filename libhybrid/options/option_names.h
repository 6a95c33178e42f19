// The names of every option that some command has: variables and configuration files are shared by all
// commands, and what one has no use for, another may.
#pragma once

#include <string>
#include <vector>

namespace hybrid {

/// Those of jobs, of synthetic traffic and of `hybrid schedule`; a name may stand more than once.
const std::vector<std::string>& names_of_all_options();

}  // namespace hybrid
