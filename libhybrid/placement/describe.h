// Text and JSON of a machine and of a placement (`hybrid topology`).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "libhybrid/placement/machine.h"
#include "libhybrid/placement/placement.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

/// A table of the machine's objects, at most `width` columns wide, ending with a newline.
std::string describe(const Machine& machine, std::size_t width = kTextWidth);
/// A table of ranks with host, port and CPUs, followed by the placement's notes; ends with a newline.
/// `ranks`: the facts from which `placement` was made.
std::string describe(const Placement& placement, std::span<const RankFacts> ranks,
                     std::size_t width = kTextWidth);

/// {"source", "processing_units", "packages": [{"cpus"}],
///  "numa_nodes": [{"cpus", "package", "memory_bytes"}], "cores": [{"cpus", "numa_node", "package"}],
///  "nics": [{"name", "kind", "near", "numa_node"}]}. Unknown values are null; CPU sets are in list form.
nlohmann::json to_json(const Machine& machine);
/// {"placement": kind, "ports": [{"name", "ranks": [...]}], "ranks": [{"rank", "host", "cpus", "port"}],
///  "notes": [...]}.
nlohmann::json to_json(const Placement& placement, std::span<const RankFacts> ranks);

}  // namespace hybrid
