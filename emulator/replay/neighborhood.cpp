// Neighbourhood collectives: everything at once, straight to the neighbours.
#include "emulator/replay/collective_parts.h"

namespace hybrid::collective {
namespace {

class Direct final : public CollectiveAlgorithm {
 public:
  std::uint32_t rounds(const CollectiveCall& /*call*/) const override { return 1; }
  void round(const CollectiveCall& c, std::uint32_t /*index*/, Round& round) const override {
    for (std::uint32_t i = 0; i < c.neighbors_in.size(); ++i)
      round.receives.push_back({c.neighbors_in[i], size(c, c.counts_received, i), i, 1});
    for (std::uint32_t i = 0; i < c.neighbors_out.size(); ++i)
      round.sends.push_back({c.neighbors_out[i], size(c, c.counts_sent, i), i, 1});
  }

 private:
  static Bytes size(const CollectiveCall& c, std::span<const Bytes> counts, std::uint32_t neighbor) {
    return neighbor < counts.size() ? counts[neighbor] : c.bytes;
  }
};

constexpr std::string_view kText = "nonblocking transfers with all neighbours";
const CollectiveRegistration kAllgather{"neighbor_allgather/direct", kText, make<Direct>};
const CollectiveRegistration kAllgatherv{"neighbor_allgatherv/direct", kText, make<Direct>};
const CollectiveRegistration kAlltoall{"neighbor_alltoall/direct", kText, make<Direct>};
const CollectiveRegistration kAlltoallv{"neighbor_alltoallv/direct", kText, make<Direct>};
const CollectiveRegistration kAlltoallw{"neighbor_alltoallw/direct", kText, make<Direct>};

}  // namespace
}  // namespace hybrid::collective
