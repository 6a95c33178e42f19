// Collectives over an inter-communicator, all of them straight between the two groups: the root with every
// rank of the other group, or, where there is no root, every rank with every rank of the other group. MPICH
// does part of that work inside the groups, over communicators that a trace does not show.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class Direct final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& /*call*/) const override { return 1; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    switch (c.op) {
      case CollectiveOp::bcast:
      case CollectiveOp::scatter:
      case CollectiveOp::scatterv:
        return rooted(c, round, false);
      case CollectiveOp::gather:
      case CollectiveOp::gatherv:
      case CollectiveOp::reduce:
        return rooted(c, round, true);
      default:
        break;
    }
    for (std::uint32_t r = 0; r < c.remote_size; ++r) {
      round.receives.push_back({r, size(c, c.counts_received, r), r, 1});
      round.sends.push_back({r, size(c, c.counts_sent, r), r, 1});
    }
  }

 private:
  static void rooted(const CollectiveCall& c, Round& round, bool to_root) {
    if (c.root == CollectiveCall::kRootElsewhere) return;
    if (c.root != CollectiveCall::kRootSelf) {
      (to_root ? round.sends : round.receives).push_back({c.root, c.bytes, c.rank, 1});
      return;
    }
    for (std::uint32_t r = 0; r < c.remote_size; ++r) {
      if (to_root)
        round.receives.push_back({r, size(c, c.counts_received, r), r, 1});
      else
        round.sends.push_back({r, size(c, c.counts_sent, r), r, 1});
    }
  }
  static Bytes size(const CollectiveCall& c, std::span<const Bytes> counts, std::uint32_t peer) {
    if (peer < counts.size()) return counts[peer];
    return c.op == CollectiveOp::alltoallv || c.op == CollectiveOp::alltoallw ||
                   c.op == CollectiveOp::scatterv
               ? c.bytes / c.remote_size
               : c.bytes;
  }
};

const CollectiveRegistration kDirect{"intercommunicator/direct",
                                     "all collectives between two groups: root to all, or all to all",
                                     make<Direct>};

}  // namespace
}  // namespace hybrid::collective
