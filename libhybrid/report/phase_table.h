// Table of the measures of each phase (Measures::phases).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/measures.h"

namespace hybrid {

/// A row per technique and phase, at most `width` columns wide and indented by `indent` blanks. A sentence if
/// no phases are distinguished.
std::string phase_measures_table(const std::vector<const Measures*>& results, std::size_t indent,
                                 std::size_t width);

}  // namespace hybrid
