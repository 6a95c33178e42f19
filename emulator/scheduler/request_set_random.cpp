// Random connections, all different: alone, and over a hidden complete matching (D 6.6), and with a hot spot.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

void draw_random(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set, Random& random) {
  const std::uint64_t all = std::uint64_t{shape.ports} * (shape.ports - 1);
  for (const std::uint64_t index : draw_distinct(requests, all, random))
    set.requests.push_back({connection_at(index, shape.ports), 0});
}

/// "combining random permutations with random requests": one permutation, and as many others as asked for.
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
  // The others: port 0 has all destinations 1 .., source s those from 1 on without itself.
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

}  // namespace
}  // namespace hybrid
