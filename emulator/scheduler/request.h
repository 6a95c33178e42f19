// Requests to a scheduler that gets a whole set at once: connections, each once, with their bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/units.h"

namespace hybrid {

struct Request {
  Connection connection;
  Bytes bytes = 0;  // 0: not known
  bool operator==(const Request&) const = default;
};

/// Requests over ports 0 .. ports-1. No connection occurs twice, none leads from a port to itself.
struct RequestSet {
  std::uint32_t ports = 0;
  std::vector<Request> requests;
};

/// Sets unknown sizes to one byte if the set has a known size: everywhere (as weights, in scores, as a
/// demand) a request without a size then counts as one byte. If no request has a size, all stay 0.
inline void count_unknown_as_one_byte(RequestSet& set) {
  const auto known = [](const Request& r) { return r.bytes > 0; };
  if (std::none_of(set.requests.begin(), set.requests.end(), known)) return;
  for (Request& r : set.requests)
    if (!known(r)) r.bytes = 1;
}

}  // namespace hybrid
