#include "emulator/scheduler/wavefront.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/bit_transpose.h"

namespace hybrid {

WavefrontScheduler::WavefrontScheduler(const SchedulerShape& shape)
    : ports_(shape.ports),
      open_(ports_),
      by_input_(ports_, ports_),
      by_diagonal_(ports_, ports_),
      free_inputs_(ports_),
      free_outputs_(ports_),
      turned_(ports_) {
  toggles_.reserve(2 * std::size_t{ports_});
}

/// by_input_'s row: the edges' row turned by `input` places.
void WavefrontScheduler::turn_row(Port input) {
  const std::span<const Word> row = open_.edges().row(input);
  const std::span<Word> turned = by_input_.row(input);
  std::fill(turned.begin(), turned.end(), Word{0});
  // Ports 0 .. N-1-u move up by u, the others down by N-u.
  const auto shift_up = [&](std::size_t places) {
    const std::size_t words = places / kWordBits, bits = places % kWordBits;
    for (std::size_t w = row.size(); w-- > words;) {
      Word value = row[w - words] << bits;
      if (bits != 0 && w > words) value |= row[w - words - 1] >> (kWordBits - bits);
      turned[w] |= value;
    }
  };
  const auto shift_down = [&](std::size_t places) {
    const std::size_t words = places / kWordBits, bits = places % kWordBits;
    for (std::size_t w = 0; w + words < row.size(); ++w) {
      Word value = row[w + words] >> bits;
      if (bits != 0 && w + words + 1 < row.size()) value |= row[w + words + 1] << (kWordBits - bits);
      turned[w] |= value;
    }
  };
  shift_up(input);
  if (ports_ % kWordBits != 0) turned.back() &= bit_of(ports_) - 1;  // what moved past the last port
  if (input != 0) shift_down(ports_ - input);
}

std::span<const Connection> WavefrontScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  if (!open_.inputs().any()) return toggles_;
  for_each_port(turned_.words(), [this](Port input) {
    const std::span<Word> row = by_input_.row(input);
    std::fill(row.begin(), row.end(), Word{0});
  });
  turned_ = free_inputs_ = open_.inputs();
  free_outputs_ = open_.outputs();
  for_each_port(turned_.words(), [this](Port input) { turn_row(input); });
  transpose(by_input_, by_diagonal_);
  Port diagonal = in.priority.input;
  for (std::uint32_t i = 0; i < ports_; ++i, diagonal = diagonal + 1 == ports_ ? 0 : diagonal + 1) {
    const std::span<const Word> asked = by_diagonal_.row(diagonal), free = free_inputs_.words();
    for (std::size_t w = 0; w < asked.size(); ++w)
      for (Word bits = asked[w] & free[w]; bits != 0; bits &= bits - 1) {
        const auto input =
            static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
        const Port output = diagonal >= input ? diagonal - input : diagonal + ports_ - input;
        if (!free_outputs_.test(output)) continue;
        toggles_.push_back({input, output});
        free_inputs_.reset(input);
        free_outputs_.reset(output);
      }
  }
  return toggles_;
}

namespace {
const SchedulerRegistration kWavefront{
    "wavefront", "wrapped wave front arbiter of packet switches: a wave over the array's diagonals",
    &OneSlotAlgorithm<WavefrontScheduler>::make};
}  // namespace

}  // namespace hybrid
