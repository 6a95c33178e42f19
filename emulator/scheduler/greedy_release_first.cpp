#include "emulator/scheduler/greedy_release_first.h"

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/rotated.h"

namespace hybrid {

GreedyReleaseFirst::GreedyReleaseFirst(const SchedulerShape& shape) : open_(shape.ports), free_(shape.ports) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> GreedyReleaseFirst::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  free_ = open_.outputs();
  for_each_rotated(open_.inputs(), in.priority.input, [&](Port input) {
    const Port output = first_of_both(open_.edges().row(input), free_.words(), in.priority.output);
    if (output == kNoPort) return;
    free_.reset(output);
    toggles_.push_back({input, output});
  });
  return toggles_;
}

namespace {
const SchedulerRegistration kGreedyReleaseFirst{
    "greedy-release-first", "ours: releases, then the greedy wave, which sees every port that came free",
    &OneSlotAlgorithm<GreedyReleaseFirst>::make};
}  // namespace

}  // namespace hybrid
