// Files of slots: `hybrid schedule --output` writes them, `--preload` reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/configuration.h"

namespace hybrid {

/// The configurations of a file {"slots": [[[source, destination], ...], ...]}; other keys are ignored.
/// Throws UserError with the file and the position for text that is not JSON, missing slots, ports of `ports`
/// or more, and a port twice in a slot.
std::vector<Configuration> read_slots(const std::string& path, std::uint32_t ports);

}  // namespace hybrid
