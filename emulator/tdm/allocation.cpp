#include "emulator/tdm/allocation.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

namespace hybrid {

std::uint32_t first_from(const PortSet& slots, std::uint32_t from) {
  if (from >= slots.size()) return kIdleSlot;
  const auto words = slots.words();
  Word word = words[from / kWordBits] & ~(bit_of(from) - 1);
  for (std::size_t w = from / kWordBits;;) {
    if (word != 0)
      return static_cast<std::uint32_t>(w * kWordBits) + static_cast<std::uint32_t>(std::countr_zero(word));
    if (++w == words.size()) return kIdleSlot;
    word = words[w];
  }
}

std::uint32_t next_occupied(const CycleState& state) {
  const bool worms = state.wormhole_slot && state.wormhole_buffered;
  if (const std::uint32_t after = first_from(state.occupied, state.previous + 1); after != kIdleSlot)
    return after;
  if (worms && state.previous < state.slots) return state.slots;
  if (const std::uint32_t around = first_from(state.occupied, 0); around != kIdleSlot) return around;
  return worms ? state.slots : kIdleSlot;
}

namespace {

/// None: the basic TDM cycle controller, a counter (D 4.2.2, figure 4.4). All slots take turns, empty or not.
class None final : public Allocation {
 public:
  explicit None(Time length) : length_(length) {}
  SlotChoice choose_slot(const CycleState& state) const override {
    const std::uint32_t last = state.wormhole_slot ? state.slots : state.slots - 1;
    return {state.previous >= last ? 0 : state.previous + 1, length_};
  }
  Time longest_slot() const override { return length_; }
  bool visits_in_turn() const override { return true; }

 private:
  Time length_;
};

const AllocationRegistration kNoAllocation{"none",
                                           "a plain counter: all slots take turns, empty or not (D 4.2.2)",
                                           [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                             return std::make_unique<None>(p.slot_length);
                                           },
                                           {.fat_trees = true}};

/// SES, skip empty slots (D 4.3): slots without a connection, and S_W if no wormhole traffic is buffered,
/// take no time. If all are empty, the controller checks again one slot length later.
class SkipEmptySlots final : public Allocation {
 public:
  explicit SkipEmptySlots(Time length) : length_(length) {}

  SlotChoice choose_slot(const CycleState& state) const override { return {next_occupied(state), length_}; }
  Time longest_slot() const override { return length_; }
  bool visits_in_turn() const override { return true; }

 private:
  Time length_;
};

const AllocationRegistration kSes{"ses",
                                  "skip empty slots (D 4.3)",
                                  [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                    return std::make_unique<SkipEmptySlots>(p.slot_length);
                                  },
                                  {.fat_trees = true}};

/// SLA, slot length adjustment (D 4.4, figure 4.8): the sequence of SES with different lengths of predictive
/// slots (NUM_P) and S_W (NUM_W), which follow the traffic of each kind.
///
/// NUM_P is --slot-length. NUM_W is --wormhole-slot-length if the ratio is known. Otherwise it follows the
/// words offered so far by tag. S_W takes at most 16 rounds of the occupied predictive slots.
/// - With a share of the data (--sla-share data) one round is to S_W as predictive words are to wormhole
///   words. S_W takes at least 1/4 round and is never shorter than a predictive slot.
/// - With a share of the time, S_W is longer by the ratio of the efficiencies that the switch measures
///   (emulator/network/efficiency.h), so that both kinds of traffic end together: six packets need three
///   units beside four chunks that need four (figure 4.7). Until both are measured, the ratio is 1. S_W has
///   time for whole worms, as in that figure, each with one pass of the scheduler.
class SlotLengthAdjustment final : public Allocation {
 public:
  explicit SlotLengthAdjustment(const SwitchParameters& p)
      : predictive_(p.slot_length),
        wormhole_(p.wormhole_slot_length),
        slots_(p.slots),
        shares_time_(p.sla_shares_time) {
    if (!shares_time_ || wormhole_ != Time{}) return;
    const auto most_words = static_cast<std::uint64_t>(longest_slot() / p.word_time());
    const std::uint64_t words = std::min(p.worm_limit / p.word + p.worm_overhead_words, most_words);
    lost_ = p.unusable_slot_time(true);
    one_worm_ = p.word_time() * static_cast<std::int64_t>(words) + p.scheduler.cycle + p.scheduler.delay();
  }

  SlotChoice choose_slot(const CycleState& state) const override {
    const std::uint32_t slot = next_occupied(state);
    return {slot, slot == state.slots ? wormhole_length(state) : predictive_};
  }
  Time longest_slot() const override {
    return wormhole_ != Time{} ? std::max(predictive_, wormhole_) : predictive_ * slots_ * kMostRounds;
  }
  bool visits_in_turn() const override { return true; }
  bool needs_signals() const override { return wormhole_ == Time{}; }
  bool needs_efficiency() const override { return shares_time_ && wormhole_ == Time{}; }

 private:
  __extension__ using Wide = unsigned __int128;

  Time wormhole_length(const CycleState& state) const {
    if (wormhole_ != Time{}) return wormhole_;
    const Time round =
        predictive_ * static_cast<std::int64_t>(std::max<std::size_t>(1, state.occupied.count()));
    const Time most = round * kMostRounds;
    const auto [predictive, wormhole] = state.traffic;
    if (predictive == 0) return most;
    Wide fair = Wide{static_cast<std::uint64_t>(round.ps)} * wormhole / predictive;
    if (shares_time_ && state.circuits.measured() && state.worms.measured())
      fair = std::min(fair, kPlenty) * share_of(state.circuits) / share_of(state.worms);
    if (fair >= static_cast<std::uint64_t>(most.ps)) return most;
    const Time share{static_cast<std::int64_t>(fair)};
    if (!shares_time_) return std::max({predictive_, Time{round.ps / 4}, share});
    const std::int64_t worms = (share - lost_ + one_worm_ - picoseconds(1)) / one_worm_;
    return std::min(lost_ + one_worm_ * std::max<std::int64_t>(1, worms), most);
  }
  static Wide share_of(Efficiency e) { return std::max<Wide>(1, Wide{e.used} * kWhole / e.all); }

  static constexpr std::int64_t kMostRounds = 16;
  static constexpr Wide kPlenty = Wide{1} << 96;  // more than any length; times a share it fits
  Time predictive_, wormhole_;
  std::int64_t slots_;
  bool shares_time_;
  Time lost_{};      // at the begin of S_W
  Time one_worm_{};  // its words and one pass
};

const AllocationRegistration kSla{
    "sla",
    "slot length adjustment: the length of S_W follows its share of the traffic (D 4.4)",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
      return std::make_unique<SlotLengthAdjustment>(p);
    },
    {.options = {"wormhole-slot-length", "sla-share"}, .fat_trees = true}};

/// PREEMPT, preempt virtual channels (D 4.5, figure 4.10): while no predictive traffic exists (R_valid = 0),
/// the predictive slots are in the background and S_W has all the time; otherwise the sequence is that of
/// SES.
///
/// R_valid is the switch's knowledge: a NIC reports when data starts and stops waiting for an established
/// connection.
class Preempt final : public Allocation {
 public:
  explicit Preempt(Time length) : length_(length) {}

  SlotChoice choose_slot(const CycleState& state) const override {
    if (state.wanted.any()) return {next_occupied(state), length_};
    return {state.wormhole_slot ? state.slots : kIdleSlot, length_};
  }
  bool needs_signals() const override { return true; }
  Time longest_slot() const override { return length_; }

 private:
  Time length_;
};

const AllocationRegistration kPreempt{"preempt",
                                      "predictive slots only while predictive traffic exists (D 4.5)",
                                      [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                        return std::make_unique<Preempt>(p.slot_length);
                                      },
                                      {.fat_trees = true}};

}  // namespace

}  // namespace hybrid
