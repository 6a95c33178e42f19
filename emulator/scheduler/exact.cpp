#include "emulator/scheduler/exact.h"

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/rotated.h"

namespace hybrid {

ExactScheduler::ExactScheduler(const SchedulerShape& shape)
    : open_(shape.ports), free_(shape.ports), matching_(shape.ports) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> ExactScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  matching_.clear();
  free_ = open_.outputs();
  for_each_rotated(open_.inputs(), in.priority.input, [&](Port input) {
    const Port output = first_of_both(open_.edges().row(input), free_.words(), in.priority.output);
    if (output == kNoPort) return;
    free_.reset(output);
    matching_.match({input, output});
  });
  matching_.improve(open_.edges(), open_.inputs());
  for_each_port(open_.inputs().words(), [&](Port input) {
    if (const Port output = matching_.output_of(input); output != kNoPort)
      toggles_.push_back({input, output});
  });
  return toggles_;
}

namespace {
const SchedulerRegistration kExact{"exact",
                                   "the most that one slot can hold: maximum matching, Hopcroft-Karp",
                                   &OneSlotAlgorithm<ExactScheduler>::make};
}  // namespace

}  // namespace hybrid
