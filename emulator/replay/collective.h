// Collectives as messages. An algorithm is a program of rounds for each rank. In a round a rank posts all its
// sends and receives at once; the round ends when each receive has its message and each send has left; then
// the next round begins. A blocking send followed by a receive is two rounds.
//
// Structure and selection are those of MPICH 4.0.2 for communicators with one rank on each node (no
// shared-memory stage). Selection by size follows its default tuning table (maint/tuning/coll/mpir/
// generic.json), for commutative built-in operations on 8-byte elements, since a trace records neither. Time
// for the arithmetic of a reduction is not modelled.
//
// An algorithm is stateless: round `i` follows from the call alone, so that a collective in progress takes a
// few words for each rank. The sends and receives of two ranks match in order, round after round.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "core/registry.h"
#include "core/units.h"

namespace hybrid {

/// One rank's call of a collective. Ranks are those of the communicator.
struct CollectiveCall {
  CollectiveOp op = CollectiveOp::barrier;
  std::uint32_t rank = 0, size = 1;
  std::uint32_t root = 0;
  Bytes bytes = 0;  // as Operation::bytes
  /// Sizes by peer; empty if all are equal, or if the trace does not have them (`bytes` is then divided
  /// evenly). reduce_scatter, allgatherv: counts_received[i] is member i's part, the same on all ranks.
  std::span<const Bytes> counts_sent, counts_received;
  /// Neighbourhood forms: the neighbours, in any numbering; it is that of Transfer::peer.
  std::span<const std::uint32_t> neighbors_out, neighbors_in;
  bool nonblocking = false;
  /// Inter-communicator: size of the other group; peers are ranks of that group. `root` is a rank of the
  /// other group, kRootSelf on the root, kRootElsewhere in the root's group. 0: an intra-communicator.
  std::uint32_t remote_size = 0;
  /// Whether a fabric with hardware multicast can perform it.
  bool by_fabric() const {
    return remote_size == 0 && size > 1 &&
           (op == CollectiveOp::barrier || (op == CollectiveOp::bcast && bytes != 0));
  }
  static constexpr std::uint32_t kRootSelf = ~std::uint32_t{0} - 1, kRootElsewhere = ~std::uint32_t{0};
};

struct Transfer {
  std::uint32_t peer = 0;
  Bytes bytes = 0;
  /// The data: blocks first, first + 1, ... first + count - 1, modulo the number of blocks. A block is a
  /// member's contribution (gathers), the data for a member (scatters, all-to-alls), or a part of the vector
  /// (the others), in the algorithm's numbering. For tests, which follow the data; the replay ignores it.
  std::uint32_t first = 0, count = 0;
};

struct Round {
  std::vector<Transfer> sends, receives;
  void clear() {
    sends.clear();
    receives.clear();
  }
};

class CollectiveAlgorithm {
 public:
  static constexpr std::string_view kKind = "collective algorithm";
  virtual ~CollectiveAlgorithm() = default;
  /// Whether the algorithm can perform this call (some need a power of two of ranks). The same on all ranks.
  virtual bool suits(const CollectiveCall& /*call*/) const { return true; }
  /// Number of rounds of this rank. Rounds may be empty, and ranks may have different numbers of them.
  virtual std::uint32_t rounds(const CollectiveCall& call) const = 0;
  /// Appends round `index`, 0 <= index < rounds(call), to an empty `round`.
  virtual void round(const CollectiveCall& call, std::uint32_t index, Round& round) const = 0;
};

/// By the names of collective and algorithm: "allreduce/ring".
using CollectiveRegistration = Registration<CollectiveAlgorithm>;

/// "allreduce", "neighbor_alltoallv", ...
std::string_view name_of(CollectiveOp op);
/// Whether the operation has a root.
bool is_rooted(CollectiveOp op);

/// Registered name of the algorithm that MPICH selects.
std::string_view mpich_choice(const CollectiveCall& call);

/// Selects algorithms.
class CollectiveAlgorithms {
 public:
  /// `chosen`: algorithm by collective ("allreduce" -> "ring"). Throws UserError for a collective or
  /// algorithm that does not exist, naming those that do.
  explicit CollectiveAlgorithms(const std::map<std::string, std::string>& chosen = {});
  /// The chosen algorithm if it suits the call, else MPICH's choice.
  const CollectiveAlgorithm& pick(const CollectiveCall& call) const;
  const CollectiveAlgorithm& named(std::string_view name) const;

 private:
  std::map<std::string_view, std::unique_ptr<CollectiveAlgorithm>> algorithms_;
  std::map<CollectiveOp, const CollectiveAlgorithm*> chosen_;
};

}  // namespace hybrid
