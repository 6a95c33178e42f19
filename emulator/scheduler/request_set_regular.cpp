// Sets without randomness: the full one, and degenerate ones.
#include <fmt/format.h>

#include "core/error.h"
#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

constexpr RequestFamilyUse kNotDrawn{.draws = false};
constexpr std::uint32_t kMostPorts = 5'000;  // 25 million requests

void draw_all_to_all(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random&) {
  if (shape.ports > kMostPorts)
    throw UserError(fmt::format("all-to-all: {} ports have too many connections", shape.ports),
                    fmt::format("Give at most {} --nodes.", kMostPorts));
  for (Port p = 0; p < shape.ports; ++p)
    for (Port q = 0; q < shape.ports; ++q)
      if (p != q) set.requests.push_back({{p, q}, 0});
}

void draw_scatter(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random&) {
  for (Port p = 1; p < shape.ports; ++p) set.requests.push_back({{0, p}, 0});
}

void draw_gather(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random&) {
  for (Port p = 1; p < shape.ports; ++p) set.requests.push_back({{p, 0}, 0});
}

void draw_shift(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random&) {
  for (Port p = 0; p < shape.ports; ++p) set.requests.push_back({{p, (p + 1) % shape.ports}, 0});
}

void draw_single(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random&) {
  set.requests.push_back({{0, shape.ports - 1}, 0});
}

const RequestFamilyRegistration kAllToAllSet{"all-to-all", "every connection",
                                             &SimpleRequestFamily<draw_all_to_all, kNotDrawn>::make};
const RequestFamilyRegistration kScatterSet{"scatter", "port 0 to every other: one input has all requests",
                                            &SimpleRequestFamily<draw_scatter, kNotDrawn>::make};
const RequestFamilyRegistration kGatherSet{"gather", "every other port to port 0",
                                           &SimpleRequestFamily<draw_gather, kNotDrawn>::make};
const RequestFamilyRegistration kShiftSet{"shift", "every port to the next one",
                                          &SimpleRequestFamily<draw_shift, kNotDrawn>::make};
const RequestFamilyRegistration kSingleSet{"single", "one connection, from port 0 to the last",
                                           &SimpleRequestFamily<draw_single, kNotDrawn>::make};

}  // namespace
}  // namespace hybrid
