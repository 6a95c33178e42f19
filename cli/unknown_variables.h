// HYBRID_* variables are shared by all commands: what one has no use for, another may. A misspelt one,
// however, would be passed over in silence, so it is named.
#pragma once

#include <string>
#include <vector>

namespace hybrid {

/// Warns, on standard error, of those of `variables` (names, as TableFlags::apply returns them) that no
/// option of any command has, and tells the one that was likely meant.
void warn_of_unknown(const std::vector<std::string>& variables);

}  // namespace hybrid
