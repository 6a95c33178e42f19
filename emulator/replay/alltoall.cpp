// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: Bruck's algorithm for short blocks, batches of nonblocking
// transfers, pairwise exchange.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

constexpr std::uint32_t kAlltoallThrottle = 32;  // MPIR_CVAR_ALLTOALL_THROTTLE

/// Sizes of the transfers with each peer: equal in MPI_Alltoall, given by the trace in the others (those that
/// are not 0; without any, equal parts of the total, if it is known). Given sizes of 0 are not transferred,
/// on both sides.
class Sizes {
 public:
  explicit Sizes(const CollectiveCall& c)
      : call_(c),
        uniform_(c.op == CollectiveOp::alltoall ||
                 (c.bytes != 0 && c.counts_sent.empty() && c.counts_received.empty())) {}
  void send(Round& round, std::uint32_t to) const {
    if (const Bytes bytes = size(call_.counts_sent, to); uniform_ || bytes != 0)
      round.sends.push_back({to, bytes, to, 1});
  }
  void receive(Round& round, std::uint32_t from) const {
    if (const Bytes bytes = size(call_.counts_received, from); uniform_ || bytes != 0)
      round.receives.push_back({from, bytes, call_.rank, 1});
  }

 private:
  Bytes size(std::span<const Bytes> counts, std::uint32_t peer) const {
    if (call_.op == CollectiveOp::alltoall) return call_.bytes;
    if (uniform_) return call_.bytes / call_.size;
    return peer < counts.size() ? counts[peer] : 0;
  }
  const CollectiveCall& call_;
  bool uniform_;
};

bool no_data(const CollectiveCall& c) { return c.op == CollectiveOp::alltoall && c.bytes == 0; }

/// Round k sends to the rank 2^k ahead all blocks with bit k set in the distance to their destination.
class BrucksAlltoall final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return no_data(c) ? 0 : log2_up(c.size); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t distance = 1u << index;
    // Number of distances 0 ... size - 1 with bit `index` set.
    const std::uint32_t whole = c.size / (2 * distance), rest = c.size % (2 * distance);
    const std::uint32_t count = whole * distance + (rest > distance ? rest - distance : 0);
    const EqualBlocks blocks{c.bytes};
    hybrid::collective::send(round, add(c.rank, distance, c.size), blocks, 0, count);
    hybrid::collective::receive(round, subtract(c.rank, distance, c.size), blocks, 0, count);
  }
};

/// Batches of nonblocking sends and receives with the next ranks. A batch begins when the one before is
/// complete.
class ScatteredAlltoall final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override {
    return no_data(c) ? 0 : (c.size + kAlltoallThrottle - 1) / kAlltoallThrottle;
  }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Sizes sizes(c);
    const std::uint32_t begin = std::max(index * kAlltoallThrottle, 1u);  // not with itself
    const std::uint32_t end = std::min((index + 1) * kAlltoallThrottle, c.size);
    for (std::uint32_t d = begin; d < end; ++d) sizes.receive(round, add(c.rank, d, c.size));
    for (std::uint32_t d = begin; d < end; ++d) sizes.send(round, subtract(c.rank, d, c.size));
  }
};

/// One exchange in each round: with rank XOR round if the number of ranks is a power of two, else to the rank
/// `round` ahead and from the rank `round` behind.
class PairwiseAlltoall final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return no_data(c) ? 0 : c.size - 1; }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const Sizes sizes(c);
    const std::uint32_t step = index + 1;
    const bool exclusive_or = is_power_of_two(c.size);
    sizes.send(round, exclusive_or ? c.rank ^ step : add(c.rank, step, c.size));
    sizes.receive(round, exclusive_or ? c.rank ^ step : subtract(c.rank, step, c.size));
  }
};

constexpr std::string_view kAlltoallScatteredText = "all peers, in batches of 32 nonblocking transfers";
constexpr std::string_view kAlltoallPairwiseText = "n - 1 rounds of one exchange";

const CollectiveRegistration kAlltoallBrucks{
    "alltoall/brucks", "Bruck: ceil(log2 n) rounds that combine short blocks", make<BrucksAlltoall>};
const CollectiveRegistration kAlltoallScattered{"alltoall/scattered", kAlltoallScatteredText,
                                                make<ScatteredAlltoall>};
const CollectiveRegistration kAlltoallScatteredV{"alltoallv/scattered", kAlltoallScatteredText,
                                                 make<ScatteredAlltoall>};
const CollectiveRegistration kAlltoallScatteredW{"alltoallw/scattered", kAlltoallScatteredText,
                                                 make<ScatteredAlltoall>};
const CollectiveRegistration kAlltoallPairwise{"alltoall/pairwise", kAlltoallPairwiseText,
                                               make<PairwiseAlltoall>};
const CollectiveRegistration kAlltoallPairwiseV{"alltoallv/pairwise", kAlltoallPairwiseText,
                                                make<PairwiseAlltoall>};
const CollectiveRegistration kAlltoallPairwiseW{"alltoallw/pairwise", kAlltoallPairwiseText,
                                                make<PairwiseAlltoall>};

}  // namespace
}  // namespace hybrid::collective
