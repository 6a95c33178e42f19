// Permutations: one, and sums of them.
#include <cmath>
#include <unordered_map>

#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

void draw_permutation(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random& random) {
  const std::vector<Port> to = draw_derangement(shape.ports, random);
  for (Port p = 0; p < shape.ports; ++p) set.requests.push_back({{p, to[p]}, 0});
}

/// The demand on which Solstice and Eclipse were tried: each port has a few large flows with most of the
/// bytes and more small ones. A quarter of the flows, random permutations, carry 70 % of the bytes; sizes
/// vary by a twentieth. Flows that meet add up.
void draw_skewed(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set, Random& random) {
  const std::uint64_t flows = (requests + shape.ports - 1) / shape.ports;
  const std::uint64_t large = (flows + 3) / 4;
  const double bytes = static_cast<double>(flows) * static_cast<double>(shape.bytes);
  const auto share = [](double part, std::uint64_t count) {
    return count == 0 ? Bytes{1} : static_cast<Bytes>(std::ceil(part / static_cast<double>(count)));
  };
  const Bytes large_size = share(flows == large ? bytes : 0.7 * bytes, large);
  const Bytes small_size = share(0.3 * bytes, flows - large);
  std::unordered_map<Connection, std::size_t> at;
  for (std::uint64_t flow = 0; flow < flows; ++flow) {
    const std::vector<Port> to = draw_derangement(shape.ports, random);
    const Bytes size = flow < large ? large_size : small_size;
    for (Port p = 0; p < shape.ports; ++p) {
      const auto [found, is_new] = at.emplace(Connection{p, to[p]}, set.requests.size());
      if (is_new) set.requests.push_back({{p, to[p]}, 0});
      set.requests[found->second].bytes += size + random.below(size / 20 + 1);
    }
  }
}

const RequestFamilyRegistration kPermutationSet{
    "permutation", "a random permutation, no port to itself",
    &SimpleRequestFamily<draw_permutation, RequestFamilyUse{}>::make};
const RequestFamilyRegistration kSkewedSet{
    "skewed", "--density flows a port: a quarter of them have 70 % of the bytes (as Solstice was tried)",
    &SimpleRequestFamily<draw_skewed, RequestFamilyUse{.density = true, .sizes = false}>::make};

}  // namespace
}  // namespace hybrid
