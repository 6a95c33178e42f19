#include "emulator/scheduler/exact.h"

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

/// The edges of a pass whose releases are made.
class OpenEdges final : public MaximumMatching::Edges {
 public:
  OpenEdges(const SchedulingPass& in, const PortSet& free_outputs) : in_(in), free_(free_outputs.words()) {}
  void take(Port input, SparseRows& rows) const override {
    const auto free = [&](std::size_t w, Word bits) { return bits & free_[w]; };
    if (in_.open_words != nullptr) {
      rows.take(input, in_.open.row(input), in_.open_words->row(input), free);
    } else {
      rows.take(input, in_.open.row(input), free);
    }
  }

 private:
  const SchedulingPass& in_;
  std::span<const Word> free_;
};

}  // namespace

ExactScheduler::ExactScheduler(const SchedulerShape& shape)
    : open_(shape.ports), refused_(shape.ports), matching_(shape.ports) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> ExactScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  matching_.clear();
  refused_.clear();
  open_.take(in, toggles_);
  open_.schedule_greedily(
      in, [this](Connection c) { matching_.match(c); }, [this](Port input) { refused_.set(input); });
  if (refused_.any()) matching_.improve(OpenEdges(in, open_.outputs()), refused_);
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
