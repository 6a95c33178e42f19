#include "emulator/scheduler/greedy_release_first.h"

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

GreedyReleaseFirst::GreedyReleaseFirst(const SchedulerShape& shape) : open_(shape.ports) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> GreedyReleaseFirst::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  open_.schedule_greedily(in, [this](Connection c) { toggles_.push_back(c); }, [](Port /*input*/) {});
  return toggles_;
}

namespace {
const SchedulerRegistration kGreedyReleaseFirst{
    "greedy-release-first", "ours: releases, then the greedy wave, which sees every port that came free",
    &OneSlotAlgorithm<GreedyReleaseFirst>::make};
}  // namespace

}  // namespace hybrid
