#include "emulator/scheduler/open_requests.h"

#include <algorithm>
#include <span>

namespace hybrid {

OpenRequests::OpenRequests(std::uint32_t ports)
    : edges_(ports, ports), inputs_(ports), outputs_(ports), looked_at_(ports), left_(ports) {}

void OpenRequests::take(const SchedulingPass& in, std::vector<Connection>& toggles) {
  take_ports(in, toggles);
  for_each_port(looked_at_.words(), [&](Port input) { take_edges(in, input); });
}

/// Which ports are free, and the releases.
void OpenRequests::take_ports(const SchedulingPass& in, std::vector<Connection>& toggles) {
  const std::size_t ports = edges_.columns();
  const std::span<const Word> used = in.slot.outputs().words();
  const std::span<Word> free = outputs_.words();
  for (std::size_t w = 0; w < free.size(); ++w) free[w] = ~used[w];
  if (ports % kWordBits != 0) free[free.size() - 1] &= bit_of(ports) - 1;
  looked_at_.clear();
  for_each_port(in.inputs.words(), [&](Port input) {
    const Port held = in.slot.destination_of(input);
    if (held != kNoPort) {
      if (in.requests.test(input, held)) return;
      toggles.push_back({input, held});
      outputs_.set(held);
    }
    looked_at_.set(input);
  });
  // Rows of the pass before that this one does not write.
  const std::span<const Word> now = looked_at_.words();
  const std::span<Word> before = inputs_.words();
  for (std::size_t w = 0; w < now.size(); ++w) before[w] &= ~now[w];
  for_each_port(before, [this](Port input) {
    const std::span<Word> row = edges_.row(input);
    std::fill(row.begin(), row.end(), Word{0});
  });
  inputs_.clear();
}

/// Writes the input's row; whether there is an edge.
bool OpenRequests::take_edges(const SchedulingPass& in, Port input) {
  const std::span<const Word> requested = in.requests.row(input), established = in.established.row(input),
                              free = outputs_.words();
  const std::span<Word> row = edges_.row(input);
  Word any = 0;
  for (std::size_t w = 0; w < row.size(); ++w) any |= row[w] = requested[w] & ~established[w] & free[w];
  if (any == 0) return false;
  inputs_.set(input);
  return true;
}

}  // namespace hybrid
