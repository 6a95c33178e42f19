#include "emulator/scheduler/pim.h"

#include <bit>
#include <cstddef>
#include <span>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/bit_transpose.h"
#include "emulator/scheduler/islip.h"

namespace hybrid {

namespace {

/// One of the members of both sets, all equally likely; kNoPort where there is none.
Port any_of_both(std::span<const Word> a, std::span<const Word> b, Random& random) {
  std::size_t members = 0;
  for (std::size_t w = 0; w < a.size(); ++w) members += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
  if (members == 0) return kNoPort;
  std::uint64_t before = random.below(members);
  for (std::size_t w = 0;; ++w) {
    Word bits = a[w] & b[w];
    const auto here = static_cast<std::uint64_t>(std::popcount(bits));
    if (before >= here) {
      before -= here;
      continue;
    }
    for (; before > 0; --before) bits &= bits - 1;
    return static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
  }
}

}  // namespace

PimScheduler::PimScheduler(const SchedulerShape& shape)
    : ports_(shape.ports),
      iterations_(iterations_of(shape)),
      random_(shape.seed),
      open_(ports_),
      requests_(ports_, ports_),
      free_inputs_(ports_),
      free_outputs_(ports_),
      grants_(ports_, 0),
      accepted_(ports_, kNoPort),
      granted_(ports_) {
  toggles_.reserve(2 * std::size_t{ports_});
}

std::span<const Connection> PimScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  open_.take(in, toggles_);
  if (!open_.inputs().any()) return toggles_;
  transpose(open_.edges(), requests_);
  free_inputs_ = open_.inputs();
  free_outputs_ = open_.outputs();
  for (std::uint32_t i = 0; i < iterations_ && iterate(); ++i) {
  }
  return toggles_;
}

/// Whether anything was matched.
bool PimScheduler::iterate() {
  for_each_port(free_outputs_.words(), [this](Port output) {
    const Port input = any_of_both(requests_.row(output), free_inputs_.words(), random_);
    if (input == kNoPort) return;
    granted_.set(input);
    // The n-th grant takes the place of the others with probability 1/n: each is as likely in the end.
    if (random_.below(++grants_[input]) == 0) accepted_[input] = output;
  });
  if (!granted_.any()) return false;
  for_each_port(granted_.words(), [this](Port input) {
    toggles_.push_back({input, accepted_[input]});
    free_inputs_.reset(input);
    free_outputs_.reset(accepted_[input]);
    grants_[input] = 0;
  });
  granted_.clear();
  return true;
}

namespace {
const SchedulerRegistration kPim{
    "pim", "random request, grant, accept of packet switches; steps: iterations, log2 N",
    &OneSlotAlgorithm<PimScheduler, true, true>::make};
}  // namespace

}  // namespace hybrid
