// Files of request sets, in JSON or CSV; docs/schedule.md is the user's page.
//
//   source,destination,bytes        {"ports": 8, "requests": [[0, 3, 4096], [1, 2],
//   0,3,4096                          {"source": 4, "destination": 0, "bytes": "2K"}]}
//   1,2      # bytes may be absent
//   4,0,2K                          [[0, 3, 4096], [1, 2]]
//
// A byte order mark is skipped. A file whose first character is { or [ is JSON. A request without bytes has
// 0: not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/scheduler/request.h"

namespace hybrid {

/// Limits of the bytes of one request and of all requests of a file: sums and times on a link stay in range.
inline constexpr Bytes kLargestRequest = Bytes{1} << 40;
inline constexpr Bytes kLargestRequestSum = Bytes{1} << 60;
inline constexpr std::uint32_t kMostRequestPorts = std::uint32_t{1} << 20;

/// Parses `text`, the content of the file `name`, as a set over `ports` ports; 0: the number in the file or,
/// without one, the largest port plus one. Throws UserError "NAME:LINE:COLUMN: ..." for syntax, ports out of
/// range, requests from a port to itself, duplicates, sizes that are 0 or too large, and a set without a
/// request. Columns count bytes, from 1.
RequestSet parse_requests(std::string_view text, const std::string& name, std::uint32_t ports = 0);

/// Reads a file and parses it. Also throws UserError if the file does not exist or cannot be read.
RequestSet read_requests(const std::string& path, std::uint32_t ports = 0);

}  // namespace hybrid
