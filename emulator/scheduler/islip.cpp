// iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999): the round-robin matching
// of packet switches, a baseline (request_grant_accept.h).
//
// Each output grants the first request at or after its pointer; each input accepts the first grant at or
// after its pointer. The pointers of a match move one past it, in the first iteration of a pass only. The
// pointer of an output whose grant was not accepted does not move, so that the output grants the same input
// again: this makes the algorithm fair and desynchronises the outputs. The priority of the pass is not used.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/request_grant_accept.h"

namespace hybrid {
namespace {

class Islip final : public RequestGrantAccept<Islip> {
 public:
  explicit Islip(const SchedulerShape& shape)
      : RequestGrantAccept(shape),
        grants_(shape.ports, shape.ports),
        grant_pointer_(shape.ports, 0),
        accept_pointer_(shape.ports, 0) {}

  Port select_request(Port output, std::span<const Word> requests, std::span<const Word> free_inputs) const {
    return first_of_both(requests, free_inputs, grant_pointer_[output]);
  }
  void add_grant(Port input, Port output, bool first) {
    if (first) {
      const std::span<Word> row = grants_.row(input);
      std::fill(row.begin(), row.end(), Word{0});
    }
    grants_.set(input, output);
  }
  Port select_grant(Port input) const {
    const std::span<const Word> grants = grants_.row(input);
    return first_of_both(grants, grants, accept_pointer_[input]);
  }
  void end_match(Connection match, bool first_iteration) {
    if (!first_iteration) return;
    accept_pointer_[match.source] = port_after(match.destination);
    grant_pointer_[match.destination] = port_after(match.source);
  }

 private:
  Port port_after(Port port) const { return port + 1 == ports() ? 0 : port + 1; }

  BitMatrix grants_;  // [input][output]
  std::vector<Port> grant_pointer_, accept_pointer_;
};

const SchedulerRegistration kIslip{
    "islip",
    "round-robin request, grant, accept of packet switches; steps: iterations, log2 N",
    &OneSlotAlgorithm<Islip>::make,
    {.options = {"scheduler-steps"}}};

}  // namespace
}  // namespace hybrid
