// What is asked of a scheduler that sees a whole set at once: connections, each once, with the bytes that
// wait.
#pragma once

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

}  // namespace hybrid
