// HYBRID_* variables apply to all commands; a command ignores those of other commands. A misspelt variable
// would be ignored silently, so it is reported.
#pragma once

#include <string>
#include <vector>

namespace hybrid {

/// Warns on standard error of those of `variables` (names, as TableFlags::apply returns them) that belong to
/// no option of any command, and suggests the closest name.
void warn_of_unknown(const std::vector<std::string>& variables);

}  // namespace hybrid
