// SLA, slot length adjustment (D 4.4, figure 4.8): the sequence of SES, but predictive slots and S_W have
// lengths of their own (NUM_P and NUM_W), after what their traffics require.
//
// NUM_P is --slot-length. NUM_W is --wormhole-slot-length where the ratio is known. Otherwise it follows the
// words offered so far by tag, so that time is shared as traffic is: one time round the occupied predictive
// slots relates to S_W as predictive words do to wormhole words. It keeps within [1/4, 16] such rounds and
// never is shorter than a predictive slot.
#include <algorithm>

#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class SlotLengthAdjustment final : public Allocation {
 public:
  explicit SlotLengthAdjustment(const SwitchParameters& p)
      : predictive_(p.slot_length), wormhole_(p.wormhole_slot_length), slots_(p.slots) {}

  SlotChoice next(const CycleState& state) const override {
    const std::uint32_t slot = next_occupied(state);
    return {slot, slot == state.slots ? wormhole_length(state) : predictive_};
  }
  Time longest() const override {
    return wormhole_ != Time{} ? std::max(predictive_, wormhole_) : predictive_ * slots_ * kMostRounds;
  }
  bool needs_signals() const override { return wormhole_ == Time{}; }

 private:
  Time wormhole_length(const CycleState& state) const {
    if (wormhole_ != Time{}) return wormhole_;
    const Time round =
        predictive_ * static_cast<std::int64_t>(std::max<std::size_t>(1, state.occupied.count()));
    const Time least = std::max(predictive_, Time{round.ps / 4}), most = round * kMostRounds;
    const auto [predictive, wormhole] = state.traffic;
    if (wormhole / kMostRounds >= predictive) return most;
    __extension__ using Wide = unsigned __int128;
    const Time fair{
        static_cast<std::int64_t>(Wide{static_cast<std::uint64_t>(round.ps)} * wormhole / predictive)};
    return std::clamp(fair, least, most);
  }

  static constexpr std::int64_t kMostRounds = 16;
  Time predictive_, wormhole_;
  std::int64_t slots_;
};

const AllocationRegistration kSla{
    "sla", "slot length adjustment: S_W as long as its share of the traffic asks (D 4.4)",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
      return std::make_unique<SlotLengthAdjustment>(p);
    }};

}  // namespace

}  // namespace hybrid
