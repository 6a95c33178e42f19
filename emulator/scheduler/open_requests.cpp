#include "emulator/scheduler/open_requests.h"

#include <algorithm>
#include <bit>
#include <span>

namespace hybrid {

void OpenPorts::begin_pass(const SchedulingPass& in, std::vector<Connection>& toggles) {
  const std::span<const Word> used = in.slot.outputs().words(), holding = in.slot.inputs().words(),
                              considered = in.inputs.words();
  const std::span<Word> outputs = outputs_.words(), inputs = inputs_.words();
  for (std::size_t w = 0; w < outputs.size(); ++w) outputs[w] = ~used[w];
  const std::size_t ports = outputs_.size();
  if (ports % kWordBits != 0) outputs.back() &= bit_of(ports) - 1;
  const std::span<const Word> to_release = in.to_release.words();
  for (std::size_t w = 0; w < inputs.size(); ++w) {
    inputs[w] = considered[w] & (~holding[w] | to_release[w]);
    for (Word rest = considered[w] & to_release[w]; rest != 0; rest &= rest - 1) {
      const auto input = static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
      const Port held = in.slot.destination_of(input);
      toggles.push_back({input, held});
      outputs_.set(held);
    }
  }
}

OpenRequests::OpenRequests(std::uint32_t ports) : ports_(ports), edges_(ports, ports), inputs_(ports) {}

void OpenRequests::begin_pass(const SchedulingPass& in, std::vector<Connection>& toggles) {
  ports_.begin_pass(in, toggles);
  // Clear the rows of the previous pass that this one does not overwrite.
  const std::span<const Word> now = ports_.inputs().words();
  const std::span<Word> before = inputs_.words();
  for (std::size_t w = 0; w < now.size(); ++w) before[w] &= ~now[w];
  for_each_port(before, [this](Port input) {
    const std::span<Word> row = edges_.row(input);
    std::fill(row.begin(), row.end(), Word{0});
  });
  inputs_.clear();
  for_each_port(now, [&](Port input) {
    if (read_edges(in, input)) inputs_.set(input);
  });
}

/// Sets the row of `input`. Returns whether the row has an edge.
bool OpenRequests::read_edges(const SchedulingPass& in, Port input) {
  const std::span<const Word> open = in.open.row(input), free = ports_.outputs().words();
  const std::span<Word> row = edges_.row(input);
  Word any = 0;
  for (std::size_t w = 0; w < row.size(); ++w) any |= row[w] = open[w] & free[w];
  return any != 0;
}

}  // namespace hybrid
