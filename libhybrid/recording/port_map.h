// The ports of all ranks as one property of a process's definitions. Every process writes the whole map: the
// report stands when the definitions of any one of them are left.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"

namespace hybrid {

/// Name of the property.
inline constexpr std::string_view kPortMap = "ports";

/// Runs of consecutive ports in the order of ranks: {0, 1, 2, 7} is "0-2 7".
std::string encode_ports(std::span<const Port> port_of_rank);

/// Back; empty for any other text, and for more than `ranks` ports.
std::vector<Port> decode_ports(std::string_view text, std::uint32_t ranks);

}  // namespace hybrid
