// MPI_Scan and MPI_Exscan: recursive doubling.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// Round k exchanges the sums of groups of 2^k ranks with the rank 2^k away, where there is one.
class RecursiveDoubling final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return c.bytes == 0 ? 0 : log2_up(c.size); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t other = c.rank ^ 1u << index;
    if (other >= c.size) return;
    const EqualBlocks vector{c.bytes};
    send(round, other, vector, 0, 1);
    receive(round, other, vector, 0, 1);
  }
};

const CollectiveRegistration kScan{"scan/recursive-doubling", "ceil(log2 n) exchanges of the vector",
                                   make<RecursiveDoubling>};
const CollectiveRegistration kExscan{"exscan/recursive-doubling", "ceil(log2 n) exchanges of the vector",
                                     make<RecursiveDoubling>};

}  // namespace
}  // namespace hybrid::collective
