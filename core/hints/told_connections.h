// What hints told one rank of a running job, as a text that its recording keeps: whom it would send to, in
// each phase that began.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace hybrid {

/// World ranks by the phase's name, all that were told in the run together.
using ToldConnections = std::map<std::string, std::set<std::uint32_t>, std::less<>>;

/// A line each phase: "0-2,7 ring". A line break in a name becomes a space.
std::string encode_told(const ToldConnections& told);

/// Nothing where the text is no such text, or names a rank that is not below `ranks`.
std::optional<ToldConnections> decode_told(std::string_view text, std::uint32_t ranks);

}  // namespace hybrid
