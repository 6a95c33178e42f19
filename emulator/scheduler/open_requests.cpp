#include "emulator/scheduler/open_requests.h"

#include <algorithm>
#include <bit>
#include <span>

namespace hybrid {

void OpenPorts::take(const SchedulingPass& in, std::vector<Connection>& toggles) {
  const std::span<const Word> used = in.slot.outputs().words(), holding = in.slot.inputs().words(),
                              looked_at = in.inputs.words();
  const std::span<Word> outputs = outputs_.words(), inputs = inputs_.words();
  for (std::size_t w = 0; w < outputs.size(); ++w) outputs[w] = ~used[w];
  const std::size_t ports = outputs_.size();
  if (ports % kWordBits != 0) outputs.back() &= bit_of(ports) - 1;
  const std::span<const Word> to_release = in.to_release.words();
  for (std::size_t w = 0; w < inputs.size(); ++w) {
    inputs[w] = looked_at[w] & (~holding[w] | to_release[w]);
    for (Word rest = looked_at[w] & to_release[w]; rest != 0; rest &= rest - 1) {
      const auto input = static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
      const Port held = in.slot.destination_of(input);
      toggles.push_back({input, held});
      outputs_.set(held);
    }
  }
}

OpenRequests::OpenRequests(std::uint32_t ports) : ports_(ports), edges_(ports, ports), inputs_(ports) {}

void OpenRequests::take(const SchedulingPass& in, std::vector<Connection>& toggles) {
  ports_.take(in, toggles);
  // Rows of the pass before that this one does not write.
  const std::span<const Word> now = ports_.inputs().words();
  const std::span<Word> before = inputs_.words();
  for (std::size_t w = 0; w < now.size(); ++w) before[w] &= ~now[w];
  for_each_port(before, [this](Port input) {
    const std::span<Word> row = edges_.row(input);
    std::fill(row.begin(), row.end(), Word{0});
  });
  inputs_.clear();
  for_each_port(now, [&](Port input) {
    if (take_edges(in, input)) inputs_.set(input);
  });
}

/// Writes the input's row; whether there is an edge.
bool OpenRequests::take_edges(const SchedulingPass& in, Port input) {
  const std::span<const Word> open = in.open.row(input), free = ports_.outputs().words();
  const std::span<Word> row = edges_.row(input);
  Word any = 0;
  for (std::size_t w = 0; w < row.size(); ++w) any |= row[w] = open[w] & free[w];
  return any != 0;
}

}  // namespace hybrid
