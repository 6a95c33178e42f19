#include "emulator/scheduler/exact.h"

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

ExactScheduler::ExactScheduler(const SchedulerShape& shape) : open_(shape.ports), matching_(shape.ports) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> ExactScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  matching_.clear();
  open_.take_greedily(in, toggles_, [this](Connection c) { matching_.match(c); });
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
