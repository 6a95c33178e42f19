// Schedules of slots as files: what `hybrid schedule --output` writes and `--preload` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/configuration.h"

namespace hybrid {

/// The configurations of a file {"slots": [[[source, destination], ...], ...]}; other names are passed over.
/// Throws UserError that names the file and the place in it: not JSON, no slots, ports past `ports`, a port
/// twice in a slot.
std::vector<Configuration> read_slots(const std::string& path, std::uint32_t ports);

}  // namespace hybrid
