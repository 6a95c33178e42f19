// Whole numbers as option values: decimal digits only, never clamped.
#pragma once

#include <cstdint>
#include <string_view>

namespace hybrid {

/// A whole number from `least` to `most`. Throws UserError, naming `what` and the range.
std::uint64_t parse_whole(std::string_view text, std::string_view what, std::uint64_t least,
                          std::uint64_t most);

}  // namespace hybrid
