#include "emulator/scheduler/request_sets.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <unordered_set>

#include "core/error.h"
#include "emulator/scheduler/request_file.h"

namespace hybrid {

namespace {
constexpr std::uint64_t kMostRequests = std::uint64_t{1} << 25;  // 512 MiB
}

RequestFamily::RequestFamily(const RequestSetShape& shape) : shape_(shape) {
  if (shape.ports < 2)
    throw UserError(fmt::format("nodes: {} has no connections", shape.ports), "Give at least 2 --nodes.");
  if (!(shape.density > 0) || !std::isfinite(shape.density))
    throw UserError(fmt::format("density: {} requests per input is not a valid density", shape.density),
                    "Give a number above 0.");
  if (shape.bytes == 0) throw UserError("message: requests of 0 bytes have no effect", "Give at least 1.");
  if (shape.bytes > kLargestRequest)
    throw UserError(fmt::format("message: {} are too many for a request", format_bytes(shape.bytes)),
                    fmt::format("Give at most {}.", format_bytes(kLargestRequest)));
  if (!(shape.hotspot >= 0 && shape.hotspot <= 1))
    throw UserError(fmt::format("hotspot: {} is not a share", shape.hotspot), "Give a number from 0 to 1.");
}

std::uint64_t RequestFamily::requests() const {
  const double wanted = std::round(shape_.density * shape_.ports);
  const double most = static_cast<double>(shape_.ports) * (shape_.ports - 1);
  if (wanted > most)
    throw UserError(fmt::format("density: {} requests per input, but there are only {} other ports",
                                shape_.density, shape_.ports - 1),
                    fmt::format("Give at most {}.", shape_.ports - 1));
  if (wanted < 1)
    throw UserError(fmt::format("density: {} x {} ports gives no request", shape_.density, shape_.ports),
                    "Give a larger --density.");
  if (wanted > static_cast<double>(kMostRequests))
    throw UserError(
        fmt::format("density: {:.0f} requests are too many", wanted),
        fmt::format("The limit is {}; give fewer --nodes or a smaller --density.", kMostRequests));
  return static_cast<std::uint64_t>(wanted);
}

RequestSet RequestFamily::draw(Random& random) const {
  RequestSet set{shape_.ports, {}};
  draw_requests(set, random);
  Bytes sum = 0;
  for (Request& r : set.requests) {
    if (r.bytes == 0) r.bytes = shape_.random_sizes ? 1 + random.below(2 * shape_.bytes - 1) : shape_.bytes;
    sum += r.bytes;  // no overflow: each is far below 2^64 - kLargestRequestSum
    if (sum > kLargestRequestSum)
      throw UserError(
          fmt::format("message: {} requests of {} are too many bytes in total", set.requests.size(),
                      format_bytes(shape_.bytes)),
          fmt::format("Give a smaller --message: at most {} in total.", format_bytes(kLargestRequestSum)));
  }
  return set;
}

std::vector<std::uint64_t> draw_distinct(std::uint64_t count, std::uint64_t bound, Random& random) {
  // Floyd's algorithm: each new number is taken or, if it is already in the set, the current largest number
  // instead.
  std::vector<std::uint64_t> drawn;
  std::unordered_set<std::uint64_t> seen;
  drawn.reserve(count);
  for (std::uint64_t most = bound - count; most < bound; ++most) {
    const std::uint64_t number = random.below(most + 1);
    drawn.push_back(seen.insert(number).second ? number : most);
    seen.insert(drawn.back());
  }
  shuffle_elements(drawn, random);
  return drawn;
}

std::vector<Port> draw_derangement(std::uint32_t ports, Random& random) {
  std::vector<Port> to(ports);
  const auto has_fixed_point = [&] {
    for (Port p = 0; p < ports; ++p)
      if (to[p] == p) return true;
    return false;
  };
  do {  // one permutation in e (2.718) is a derangement
    std::iota(to.begin(), to.end(), Port{0});
    shuffle_elements(to, random);
  } while (has_fixed_point());
  return to;
}

}  // namespace hybrid
