// What is asked of a scheduler that sees a whole set at once: connections, each once, with the bytes that
// wait.
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

/// `requests` over ports 0 .. ports-1, no connection twice, none from a port to itself.
struct RequestSet {
  std::uint32_t ports = 0;
  std::vector<Request> requests;
};

/// How requests without a size count, everywhere: as one byte where another of the set has a size (as
/// weights, in scores, as a demand). Where none has one, bytes say nothing and stay 0.
inline void count_unknown_as_one_byte(RequestSet& set) {
  const auto known = [](const Request& r) { return r.bytes > 0; };
  if (std::none_of(set.requests.begin(), set.requests.end(), known)) return;
  for (Request& r : set.requests)
    if (!known(r)) r.bytes = 1;
}

}  // namespace hybrid
