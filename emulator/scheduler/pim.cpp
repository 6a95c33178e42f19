// Parallel iterative matching (Anderson, Owicki, Saxe, Thacker, "High-speed switch scheduling for local-area
// networks", 1993): the random matching of packet switches, a baseline (request_grant_accept.h).
//
// Each output grants one of its requests at random, and each input accepts one of its grants at random, all
// with the same probability. An iteration resolves three quarters of the remaining requests on average, so
// that log2 N iterations, the default of `steps`, nearly always give a maximal matching. The random numbers
// come from the seed of the shape.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/request_grant_accept.h"

namespace hybrid {
namespace {

/// A random member of both sets, each with the same probability; kNoPort if there is none.
Port draw_from_both(std::span<const Word> a, std::span<const Word> b, Random& random) {
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

class Pim final : public RequestGrantAccept<Pim> {
 public:
  explicit Pim(const SchedulerShape& shape)
      : RequestGrantAccept(shape),
        random_(shape.seed),
        grants_(shape.ports, 0),
        accepted_(shape.ports, kNoPort) {}

  Port select_request(Port /*output*/, std::span<const Word> requests, std::span<const Word> free_inputs) {
    return draw_from_both(requests, free_inputs, random_);
  }
  void add_grant(Port input, Port output, bool first) {
    if (first) grants_[input] = 0;
    // The n-th grant replaces the earlier ones with probability 1/n: each grant is accepted with the same
    // probability in the end.
    if (random_.below(++grants_[input]) == 0) accepted_[input] = output;
  }
  Port select_grant(Port input) const { return accepted_[input]; }
  void end_match(Connection /*match*/, bool /*first_iteration*/) {}

 private:
  Random random_;
  std::vector<std::uint32_t> grants_;  // by input: grants so far in this iteration
  std::vector<Port> accepted_;         // by input: one of its grants
};

const SchedulerRegistration kPim{
    "pim",
    "random request, grant, accept of packet switches; steps: iterations, log2 N",
    &OneSlotAlgorithm<Pim, true>::make,
    {.options = {"scheduler-steps"}}};

}  // namespace
}  // namespace hybrid
