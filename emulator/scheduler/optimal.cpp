// As many as can be: a maximum matching of the nodes where requests share some, then recursive edge colouring
// without a bound on moves (tree_colouring.h). With m <= w that grants every request of the matching, and no
// schedule grants more; every permutation fits whole.
//
// With m > w links are short of nodes. Then each level grants, in the order given, whatever both switches
// have a port left for, whichever it is: no switch with a connection that was refused has a free port to the
// same end, but another choice of connections may be larger.
#include "emulator/scheduler/node_matching.h"
#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_colouring.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class Optimal final : public TreeScheduler {
 public:
  Optimal(const FatTree& tree, std::uint64_t /*seed*/)
      : colouring_(tree, kAnyMoves), matching_(tree.nodes()) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    const std::size_t granted = colouring_.schedule(requests, paths);
    if (!colouring_.nodes_were_shared()) return granted;
    return colouring_.schedule(requests, paths, matching_.match(requests));
  }

 private:
  TreeColouring<kWords> colouring_;
  NodeMatching matching_;
};

const SchedulerRegistration kOptimal{"optimal", "fat tree: recursive edge colouring, every permutation fits",
                                     &TreeAlgorithm<Optimal>::make};

}  // namespace
}  // namespace hybrid
