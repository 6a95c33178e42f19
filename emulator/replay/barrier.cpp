// MPI_Barrier.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

/// In round k each rank signals to the rank 2^k ahead which ranks, as far as it knows, have arrived.
class Dissemination final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& c) const override { return log2_up(c.size); }
  void round(const CollectiveCall& c, std::uint32_t index, Round& round) const override {
    const std::uint32_t distance = 1u << index;
    const EqualBlocks nothing{0};
    send(round, add(c.rank, distance, c.size), nothing, 0, c.size);
    receive(round, subtract(c.rank, distance, c.size), nothing, 0, c.size);
  }
};

const CollectiveRegistration kDissemination{
    "barrier/dissemination", "ceil(log2 n) rounds, each rank signals the one 2^k ahead", make<Dissemination>};

}  // namespace
}  // namespace hybrid::collective
