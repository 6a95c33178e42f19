// The measures of each phase (Measures::phases), as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/measures.h"

namespace hybrid {

/// A line a technique and phase, at most `width` columns, started by `indent` blanks; a sentence where no
/// phases are told apart.
std::string phase_measures_table(const std::vector<const Measures*>& results, std::size_t indent,
                                 std::size_t width);

}  // namespace hybrid
