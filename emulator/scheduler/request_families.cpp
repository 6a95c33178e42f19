// The registered families of request sets: permutations and sums of them; random connections; sets without
// randomness.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "emulator/scheduler/request_sets.h"

namespace hybrid {

namespace {

void draw_permutation(const RequestSetShape& shape, std::uint64_t, RequestSet& set, Random& random) {
  const std::vector<Port> to = draw_derangement(shape.ports, random);
  for (Port p = 0; p < shape.ports; ++p) set.requests.push_back({{p, to[p]}, 0});
}

/// The demand with which Solstice and Eclipse were evaluated: each port has a few large flows with most of
/// the bytes and more small ones. A quarter of the flows, random permutations, carry 70 % of the bytes; sizes
/// vary by a twentieth. The bytes of flows between the same two ports are added.
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
    "skewed",
    "--density flows a port: a quarter of them have 70 % of the bytes (as in Solstice's evaluation)",
    &SimpleRequestFamily<draw_skewed, RequestFamilyUse{.density = true, .sizes = false}>::make};

void draw_random(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set, Random& random) {
  const std::uint64_t all = std::uint64_t{shape.ports} * (shape.ports - 1);
  for (const std::uint64_t index : draw_distinct(requests, all, random))
    set.requests.push_back({connection_at(index, shape.ports), 0});
}

/// "combining random permutations with random requests": one permutation, and the requested number of other
/// connections.
void draw_hidden(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set, Random& random) {
  const std::vector<Port> to = draw_derangement(shape.ports, random);
  std::unordered_set<std::uint64_t> hidden;
  for (Port p = 0; p < shape.ports; ++p) {
    set.requests.push_back({{p, to[p]}, 0});
    hidden.insert(index_of({p, to[p]}, shape.ports));
  }
  const std::uint64_t all = std::uint64_t{shape.ports} * (shape.ports - 1);
  for (const std::uint64_t index : draw_distinct(requests, all, random))
    if (!hidden.contains(index)) set.requests.push_back({connection_at(index, shape.ports), 0});
  shuffle_elements(set.requests, random);
}

void draw_hotspot(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set, Random& random) {
  const auto wanted = static_cast<std::uint64_t>(std::round(shape.hotspot * static_cast<double>(requests)));
  const std::uint64_t others = std::uint64_t{shape.ports - 1} * (shape.ports - 1);
  const std::uint64_t cold = std::min(requests - std::min<std::uint64_t>(wanted, shape.ports - 1), others);
  for (const std::uint64_t source : draw_distinct(requests - cold, shape.ports - 1, random))
    set.requests.push_back({{static_cast<Port>(source + 1), 0}, 0});
  // The other connections: port 0 has all destinations from 1 on, source s has those from 1 on without s
  // itself.
  for (std::uint64_t index : draw_distinct(cold, others, random)) {
    if (index < shape.ports - 1) {
      set.requests.push_back({{0, static_cast<Port>(index + 1)}, 0});
      continue;
    }
    index -= shape.ports - 1;
    const auto source = static_cast<Port>(1 + index / (shape.ports - 2));
    const auto other = static_cast<Port>(1 + index % (shape.ports - 2));
    set.requests.push_back({{source, other + (other >= source ? 1 : 0)}, 0});
  }
  shuffle_elements(set.requests, random);
}

const RequestFamilyRegistration kRandomSet{
    "random", "--density different connections an input, at random",
    &SimpleRequestFamily<draw_random, RequestFamilyUse{.density = true}>::make};
const RequestFamilyRegistration kHiddenSet{
    "hidden", "a complete matching, hidden among --density random connections an input (D 6.6)",
    &SimpleRequestFamily<draw_hidden, RequestFamilyUse{.density = true}>::make};
const RequestFamilyRegistration kHotspotSet{
    "hotspot", "random, but a share of the requests (--hotspot) goes to port 0",
    &SimpleRequestFamily<draw_hotspot, RequestFamilyUse{.density = true, .hotspot = true}>::make};

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
