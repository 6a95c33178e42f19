#include "emulator/scheduler/matching.h"

#include <algorithm>
#include <bit>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/hardware_cost.h"

namespace hybrid {

namespace {

/// Number of odd steps of a search; no path is longer than 2N - 1 edges.
std::size_t odd_steps_of(const SchedulerShape& shape) {
  const std::size_t steps = shape.steps == 0 ? MatchingScheduler::kSteps : shape.steps;
  return std::min<std::size_t>((steps + 1) / 2, shape.ports);
}

}  // namespace

MatchingScheduler::MatchingScheduler(const SchedulerShape& shape)
    : words_(words_for(shape.ports)),
      odd_steps_(odd_steps_of(shape)),
      greedy_(shape),
      open_(shape.ports),
      free_inputs_(shape.ports),
      free_outputs_(shape.ports),
      output_of_(shape.ports, kNoPort),
      input_of_(shape.ports, kNoPort),
      masks_(odd_steps_ * words_),
      reached_(words_),
      unseen_(words_) {
  toggles_.reserve(2 * std::size_t{shape.ports});
}

std::span<const Connection> MatchingScheduler::pass(const SchedulingPass& in) {
  const std::span<const Connection> greedy = greedy_.pass(in);
  searches_ = 0;
  if (odd_steps_ == 1) return greedy;
  take_greedy_schedule(in, greedy);
  while (improve()) {
  }
  for_each_port(open_.inputs().words(), [this](Port input) {
    if (const Port output = output_of_[input]; output != kNoPort) toggles_.push_back({input, output});
  });
  return toggles_;
}

/// Builds the graph; its matching consists of the connections that the greedy pass established. The releases
/// are the same as in any pass.
void MatchingScheduler::take_greedy_schedule(const SchedulingPass& in, std::span<const Connection> greedy) {
  toggles_.clear();
  open_.begin_pass(in, toggles_);
  free_inputs_ = open_.inputs();
  free_outputs_ = open_.outputs();
  for_each_port(open_.inputs().words(), [this](Port input) { output_of_[input] = kNoPort; });
  for (const Connection c : greedy) {
    if (in.slot.holds(c)) continue;
    output_of_[c.source] = c.destination;
    input_of_[c.destination] = c.source;
    free_inputs_.reset(c.source);
    free_outputs_.reset(c.destination);
  }
}

/// Makes one search. Returns whether it found a path of at most K edges.
bool MatchingScheduler::improve() {
  ++searches_;
  const std::span<const Word> free_inputs = free_inputs_.words(), free_outputs = free_outputs_.words();
  std::copy(free_inputs.begin(), free_inputs.end(), mask(0));
  std::fill(unseen_.begin(), unseen_.end(), ~Word{0});
  for (std::size_t step = 0;; ++step) {
    std::fill(reached_.begin(), reached_.end(), Word{0});
    for_each_port({mask(step), words_}, [this](Port input) {
      const std::span<const Word> row = open_.edges().row(input);
      for (std::size_t w = 0; w < words_; ++w) reached_[w] |= row[w];
    });
    Word any = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      any |= reached_[w] &= unseen_[w];
      unseen_[w] &= ~reached_[w];
    }
    for (std::size_t w = 0; w < words_; ++w)
      if (const Word found = reached_[w] & free_outputs[w]; found != 0) {
        trace_back(step,
                   static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(found))));
        return true;
      }
    if (any == 0 || step + 1 == odd_steps_) return false;
    std::fill_n(mask(step + 1), words_, Word{0});
    for_each_port(reached_, [&](Port output) {
      const Port input = input_of_[output];
      mask(step + 1)[input / kWordBits] |= bit_of(input);
    });
  }
}

/// Traces the path from a free output reached in `step` back to a free input, and exchanges its saturated and
/// unsaturated edges.
void MatchingScheduler::trace_back(std::size_t step, Port output) {
  free_outputs_.reset(output);
  for (;; --step) {
    const Word* candidates = mask(step);
    Port input = 0;
    for (std::size_t w = 0;; ++w) {
      Word bits = candidates[w];
      while (bits != 0) {
        input = static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
        if (open_.edges().test(input, output)) break;
        bits &= bits - 1;
      }
      if (bits != 0) break;
    }
    const Port before = output_of_[input];
    output_of_[input] = output;
    input_of_[output] = input;
    if (step == 0) return free_inputs_.reset(input);
    output = before;
  }
}

namespace {

class MatchingAlgorithm final : public OneSlotAlgorithm<MatchingScheduler> {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<MatchingAlgorithm>(); }
  std::vector<HardwareCost> hardware(const SchedulerShape& shape) const override {
    const std::uint32_t steps = std::min(shape.steps == 0 ? MatchingScheduler::kSteps : shape.steps,
                                         exact_matching_steps(shape.ports));
    std::vector<HardwareCost> designs;
    for (const auto processor :
         {MatchingProcessor::pure_logic, MatchingProcessor::matrix, MatchingProcessor::vector})
      designs.push_back(matching_cost(processor, shape.ports, steps));
    return designs;
  }
};

const SchedulerRegistration kMatching{
    "matching",
    "D 6.4: greedy, then augmenting paths of at most K edges by unfolding the graph; steps: K, 9",
    &MatchingAlgorithm::make,
    {.options = {"scheduler-steps"}}};
}  // namespace

}  // namespace hybrid
