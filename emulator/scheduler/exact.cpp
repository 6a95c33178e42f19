// The exact optimum of a pass: the largest number of connections that can be established in addition to those
// that stay (maximum_matching.h). The reference for the other one-slot algorithms.
//
// The pass starts from the schedule of `greedy-release-first` under its rotating priority. The improvement
// may change the partner of a port that this schedule matched, but never leaves such a port unmatched: ports
// of high priority are served as by the greedy schedulers.
#include <span>
#include <vector>

#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/maximum_matching.h"
#include "emulator/scheduler/open_requests.h"

namespace hybrid {
namespace {

/// The edges of a pass after its releases.
class OpenEdges final : public MaximumMatching::Edges {
 public:
  OpenEdges(const SchedulingPass& in, const PortSet& free_outputs) : in_(in), free_(free_outputs.words()) {}
  void read_row(Port input, SparseRows& rows) const override {
    const auto free = [&](std::size_t w, Word bits) { return bits & free_[w]; };
    if (in_.open_words != nullptr) {
      rows.add_row(input, in_.open.row(input), in_.open_words->row(input), free);
    } else {
      rows.add_row(input, in_.open.row(input), free);
    }
  }

 private:
  const SchedulingPass& in_;
  std::span<const Word> free_;
};

class Exact final : public Scheduler {
 public:
  explicit Exact(const SchedulerShape& shape)
      : open_(shape.ports), refused_(shape.ports), matching_(shape.ports) {
    toggles_.reserve(2 * std::size_t{shape.ports});
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    toggles_.clear();
    matching_.clear();
    refused_.clear();
    open_.begin_pass(in, toggles_);
    open_.schedule_greedily(
        in, [this](Connection c) { matching_.match(c); }, [this](Port input) { refused_.set(input); });
    if (refused_.any()) matching_.improve(OpenEdges(in, open_.outputs()), refused_);
    for_each_port(open_.inputs().words(), [&](Port input) {
      if (const Port output = matching_.output_of(input); output != kNoPort)
        toggles_.push_back({input, output});
    });
    return toggles_;
  }

 private:
  OpenPorts open_;
  PortSet refused_;  // inputs with edges that the greedy schedule leaves out
  MaximumMatching matching_;
  std::vector<Connection> toggles_;
};

const SchedulerRegistration kExact{"exact",
                                   "the most that one slot can hold: maximum matching, Hopcroft-Karp",
                                   &OneSlotAlgorithm<Exact>::make};

}  // namespace
}  // namespace hybrid
