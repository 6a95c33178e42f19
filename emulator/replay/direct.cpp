// Collectives as one round of direct transfers: the neighbourhood collectives, and all collectives over an
// inter-communicator.
//
// Over an inter-communicator the root exchanges data with each rank of the other group; without a root, each
// rank does with each rank of the other group. MPICH does part of that work inside the groups, over
// communicators that a trace does not show.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

Bytes size_of(std::span<const Bytes> counts, std::uint32_t index, Bytes otherwise) {
  return index < counts.size() ? counts[index] : otherwise;
}

class Neighborhood final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& /*call*/) const override { return 1; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    for (std::uint32_t i = 0; i < c.neighbors_in.size(); ++i)
      round.receives.push_back({c.neighbors_in[i], size_of(c.counts_received, i, c.bytes), i, 1});
    for (std::uint32_t i = 0; i < c.neighbors_out.size(); ++i)
      round.sends.push_back({c.neighbors_out[i], size_of(c.counts_sent, i, c.bytes), i, 1});
  }
};

class Intercommunicator final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& /*call*/) const override { return 1; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    const bool from_root =
        c.op == CollectiveOp::bcast || c.op == CollectiveOp::scatter || c.op == CollectiveOp::scatterv;
    const bool rooted = is_rooted(c.op);
    if (rooted && c.root == CollectiveCall::kRootElsewhere) return;
    if (rooted && c.root != CollectiveCall::kRootSelf) {
      (from_root ? round.receives : round.sends).push_back({c.root, c.bytes, c.rank, 1});
      return;
    }
    const Bytes each = is_total(c.op) ? c.bytes / c.remote_size : c.bytes;
    for (std::uint32_t r = 0; r < c.remote_size; ++r) {
      if (!rooted || !from_root) round.receives.push_back({r, size_of(c.counts_received, r, each), r, 1});
      if (!rooted || from_root) round.sends.push_back({r, size_of(c.counts_sent, r, each), r, 1});
    }
  }

 private:
  /// Whether `bytes` is the sum over the other group's ranks.
  static bool is_total(CollectiveOp op) {
    return op == CollectiveOp::alltoallv || op == CollectiveOp::alltoallw || op == CollectiveOp::scatterv;
  }
};

constexpr std::string_view kText = "nonblocking transfers with all neighbours";
const CollectiveRegistration kAllgather{"neighbor_allgather/direct", kText, make<Neighborhood>};
const CollectiveRegistration kAllgatherv{"neighbor_allgatherv/direct", kText, make<Neighborhood>};
const CollectiveRegistration kAlltoall{"neighbor_alltoall/direct", kText, make<Neighborhood>};
const CollectiveRegistration kAlltoallv{"neighbor_alltoallv/direct", kText, make<Neighborhood>};
const CollectiveRegistration kAlltoallw{"neighbor_alltoallw/direct", kText, make<Neighborhood>};
const CollectiveRegistration kIntercommunicator{
    "intercommunicator/direct", "all collectives between two groups: root to all, or all to all",
    make<Intercommunicator>};

}  // namespace
}  // namespace hybrid::collective
