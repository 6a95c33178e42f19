// Bound `ideal`: wormhole switching (emulator/switching/wormhole.h) with a scheduler that costs nothing. A
// worm is a whole message without overhead words, is granted at the instant at which it requests a free
// output, and the queues are unbounded, one per destination. So a port passes from one message to the next
// without a gap, also to another input or output, and what remains is the path and contention for ports.
//
// It shows what better scheduling could gain, and is not a lower bound: a long message holds its ports to its
// end, while shorter worms, or circuits in time slots, let others pass in between. `uncontended` is a lower
// bound.
#include <memory>

#include "emulator/switching/bounds.h"
#include "emulator/switching/wormhole.h"

namespace hybrid {

namespace {

SwitchParameters without_scheduling(SwitchParameters p) {
  p.scheduler = {picoseconds(1), 0};  // the resolution of time: every instant is an edge
  p.worm_limit = kUnlimited / 2;      // sums with it do not overflow
  p.worm_overhead_words = 0;
  p.buffer = kUnlimited;
  p.input_queues = "per-destination";
  return p;
}

const TechniqueRegistration kIdeal{
    "ideal",
    "wormhole without scheduling delay, one worm per message",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> {
      if (p.is_tree()) return std::make_unique<TreeWormhole>(without_scheduling(p));
      return std::make_unique<Wormhole>(without_scheduling(p));
    },
    {.options = joined({flit_options(), digital_fabric_options()}), .fat_trees = true}};
const BoundRegistration kIdealBound{"ideal", "what better scheduling could gain",
                                    [] { return std::make_unique<Bound>(); }};

}  // namespace

}  // namespace hybrid
