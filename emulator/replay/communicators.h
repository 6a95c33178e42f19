// Each rank's view of a communicator: its local rank, the world ranks of its peers, and the number of
// collectives that it has begun there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/replay/collective.h"
#include "emulator/replay/operation.h"

namespace hybrid {

class Communicators {
 public:
  struct View {
    std::uint32_t local = 0, size = 1;
    std::uint32_t remote_size = 0;         // of the other group; 0 in an intra-communicator
    std::uint32_t participants = 1;        // in a collective, both groups
    const std::uint32_t* peers = nullptr;  // world rank of a peer's local rank
    std::uint32_t collectives = 0;         // begun without a number
    std::unordered_map<std::uint32_t, std::uint32_t> starts;  // of a persistent collective, by its number
  };

  explicit Communicators(const JobTrace& trace);

  /// References stay valid. Throws UnfinishedReplay for a rank that is not a member.
  View& view(std::uint32_t communicator, std::uint32_t rank);

  /// A rank's call of the collective `operation`; its spans point into `operation`. Neighbours stay world
  /// ranks. Throws UnfinishedReplay for a root that is not a member.
  CollectiveCall call(const Operation& operation, std::uint32_t rank, const View& view);
  /// World rank of a transfer's peer.
  static std::uint32_t world_rank(const CollectiveCall& call, const View& view, std::uint32_t peer) {
    return call.op >= CollectiveOp::neighbor_allgather && call.remote_size == 0 ? peer : view.peers[peer];
  }

 private:
  using Index = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // (world, local), ascending
  struct Groups {
    Index members, remote;
  };
  const Groups& groups(std::uint32_t communicator);
  static std::uint32_t local_of(const Index& index, std::uint32_t world);

  const JobTrace& trace_;
  std::vector<std::uint32_t> self_;  // rank r at r: the peers of MPI_COMM_SELF
  std::unordered_map<std::uint32_t, Groups> groups_;
  std::vector<std::unordered_map<std::uint32_t, View>> views_;  // by rank
};

}  // namespace hybrid
