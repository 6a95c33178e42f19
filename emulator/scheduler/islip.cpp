#include "emulator/scheduler/islip.h"

#include <algorithm>
#include <bit>
#include <span>

#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/bit_transpose.h"

namespace hybrid {

std::uint32_t iterations_of(const SchedulerShape& shape) {
  if (shape.steps != 0) return shape.steps;
  return shape.ports < 3 ? 1 : static_cast<std::uint32_t>(std::bit_width(shape.ports - 1));
}

IslipScheduler::IslipScheduler(const SchedulerShape& shape)
    : ports_(shape.ports),
      iterations_(iterations_of(shape)),
      open_(ports_),
      requests_(ports_, ports_),
      free_inputs_(ports_),
      free_outputs_(ports_),
      grants_(ports_, ports_),
      granted_(ports_),
      grant_pointer_(ports_, 0),
      accept_pointer_(ports_, 0) {
  toggles_.reserve(2 * std::size_t{ports_});
}

std::span<const Connection> IslipScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  if (!open_.inputs().any()) return toggles_;
  transpose(open_.edges(), requests_);
  free_inputs_ = open_.inputs();
  free_outputs_ = open_.outputs();
  for (std::uint32_t i = 0; i < iterations_ && iterate(i == 0); ++i) {
  }
  return toggles_;
}

/// Whether anything was matched.
bool IslipScheduler::iterate(bool first) {
  for_each_port(free_outputs_.words(), [this](Port output) {
    const Port input = first_of_both(requests_.row(output), free_inputs_.words(), grant_pointer_[output]);
    if (input == kNoPort) return;
    if (!granted_.test(input)) {
      const std::span<Word> row = grants_.row(input);
      std::fill(row.begin(), row.end(), Word{0});
      granted_.set(input);
    }
    grants_.set(input, output);
  });
  if (!granted_.any()) return false;
  for_each_port(granted_.words(), [&](Port input) {
    const std::span<const Word> grants = grants_.row(input);
    const Port output = first_of_both(grants, grants, accept_pointer_[input]);
    toggles_.push_back({input, output});
    free_inputs_.reset(input);
    free_outputs_.reset(output);
    if (!first) return;
    accept_pointer_[input] = output + 1 == ports_ ? 0 : output + 1;
    grant_pointer_[output] = input + 1 == ports_ ? 0 : input + 1;
  });
  granted_.clear();
  return true;
}

namespace {
const SchedulerRegistration kIslip{
    "islip", "round-robin request, grant, accept of packet switches; steps: iterations, log2 N",
    &OneSlotAlgorithm<IslipScheduler, false, true>::make};
}  // namespace

}  // namespace hybrid
