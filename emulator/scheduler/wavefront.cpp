// The wrapped wave front arbiter (Tamir, Chi, "Symmetric crossbar arbiters for VLSI communication switches",
// 1993): the diagonal matching of packet switches, a baseline.
//
// The array's cells (u, v) with u + v = d modulo N share no row and no column. A wave passes over the N
// diagonals d; all cells of a diagonal grant at once the requests between free ports. The result is maximal.
// The first diagonal is the input of the priority, so that every connection is on the first diagonal once in
// N sweeps. Connections that the slot holds stay; releases come first (open_requests.h). `steps` is not used.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/bit_transpose.h"
#include "emulator/scheduler/open_requests.h"

namespace hybrid {
namespace {

class Wavefront final : public Scheduler {
 public:
  explicit Wavefront(const SchedulerShape& shape)
      : ports_(shape.ports),
        open_(ports_),
        by_input_(ports_, ports_),
        by_diagonal_(ports_, ports_),
        free_inputs_(ports_),
        free_outputs_(ports_),
        rotated_(ports_) {
    toggles_.reserve(2 * std::size_t{ports_});
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    toggles_.clear();
    open_.begin_pass(in, toggles_);
    if (!open_.inputs().any()) return toggles_;
    for_each_port(rotated_.words(), [this](Port input) {
      const std::span<Word> row = by_input_.row(input);
      std::fill(row.begin(), row.end(), Word{0});
    });
    rotated_ = free_inputs_ = open_.inputs();
    free_outputs_ = open_.outputs();
    for_each_port(rotated_.words(), [this](Port input) { rotate_row(input); });
    transpose(by_input_, by_diagonal_);
    Port diagonal = in.priority.input;
    for (std::uint32_t i = 0; i < ports_; ++i, diagonal = diagonal + 1 == ports_ ? 0 : diagonal + 1)
      grant_diagonal(diagonal);
    return toggles_;
  }

 private:
  /// Sets the row of `input` in by_input_: the row of its edges, rotated up by `input` places.
  void rotate_row(Port input) {
    const std::span<const Word> row = open_.edges().row(input);
    const std::span<Word> rotated = by_input_.row(input);
    std::fill(rotated.begin(), rotated.end(), Word{0});
    // Ports 0 .. N-1-u move up by u, the others down by N-u.
    const auto shift_up = [&](std::size_t places) {
      const std::size_t words = places / kWordBits, bits = places % kWordBits;
      for (std::size_t w = row.size(); w-- > words;) {
        Word value = row[w - words] << bits;
        if (bits != 0 && w > words) value |= row[w - words - 1] >> (kWordBits - bits);
        rotated[w] |= value;
      }
    };
    const auto shift_down = [&](std::size_t places) {
      const std::size_t words = places / kWordBits, bits = places % kWordBits;
      for (std::size_t w = 0; w + words < row.size(); ++w) {
        Word value = row[w + words] >> bits;
        if (bits != 0 && w + words + 1 < row.size()) value |= row[w + words + 1] << (kWordBits - bits);
        rotated[w] |= value;
      }
    };
    shift_up(input);
    if (ports_ % kWordBits != 0) rotated.back() &= bit_of(ports_) - 1;  // bits beyond the last port
    if (input != 0) shift_down(ports_ - input);
  }

  void grant_diagonal(Port diagonal) {
    const std::span<const Word> requested = by_diagonal_.row(diagonal), free = free_inputs_.words();
    for (std::size_t w = 0; w < requested.size(); ++w)
      for (Word bits = requested[w] & free[w]; bits != 0; bits &= bits - 1) {
        const auto input =
            static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
        const Port output = diagonal >= input ? diagonal - input : diagonal + ports_ - input;
        if (!free_outputs_.test(output)) continue;
        toggles_.push_back({input, output});
        free_inputs_.reset(input);
        free_outputs_.reset(output);
      }
  }

  std::uint32_t ports_;
  OpenRequests open_;
  BitMatrix by_input_;     // [u][d]: whether (u, d - u) is an edge
  BitMatrix by_diagonal_;  // [d][u]
  PortSet free_inputs_, free_outputs_;
  PortSet rotated_;  // inputs whose row of by_input_ is not 0
  std::vector<Connection> toggles_;
};

const SchedulerRegistration kWavefront{
    "wavefront", "wrapped wave front arbiter of packet switches: a wave over the array's diagonals",
    &OneSlotAlgorithm<Wavefront>::make};

}  // namespace
}  // namespace hybrid
