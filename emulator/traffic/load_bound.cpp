#include "emulator/traffic/load_bound.h"

#include <algorithm>
#include <vector>

namespace hybrid {

double load_bound(Pattern& pattern, std::uint32_t nodes) {
  std::vector<std::uint64_t> received(nodes, 0);
  std::uint64_t all = 0, busiest = 0;
  for (Port source = 0; source < nodes; ++source) {
    const std::uint64_t messages = pattern.messages(source);
    all += messages;
    busiest = std::max(busiest, messages);
    for (std::uint64_t m = 0; m < messages; ++m) ++received[pattern.next(source).destination];
  }
  for (const std::uint64_t messages : received) busiest = std::max(busiest, messages);
  return all == 0 ? 0
                  : static_cast<double>(all) / (static_cast<double>(nodes) * static_cast<double>(busiest));
}

}  // namespace hybrid
