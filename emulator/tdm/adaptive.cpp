// Allocation ADAPTIVE (ours): circuits while they carry more than worms, each port preempted separately, and
// all other time for worms. It does not know the ratio of predictable traffic or the boundaries of phases. It
// uses the data that waits, the words offered recently, and the sizes of the hardware.
//
// Rules
// 1. A predictive slot is shared (SlotChoice): only connections that data waits for are configured, first
//    those of the selected slot, then those of the other slots with free ports. Worms pass between the other
//    ports. PREEMPT (D 4.5) returns a slot that is not needed; this returns each port that is not needed.
// 2. Foreground or background. `share` is the share of the words offered recently with a connection in the
//    NIC's table: a mean over the words of 128 full slots of every port, or over all words until there are so
//    many. In the background NICs send worms only. Circuits are put into the background when the share falls
//    below `down`, and return when it has reached `up`. If a NIC queue holds the words of b slots,
//      b < 2.2:    pays = max(0.35, 1.15 - 0.4 b);  down = pays - 0.02, up = pays + 0.02
//      otherwise:  down = max(0.27, 0.35 - 0.0325 (b - 2)), up = max(0.40, 0.53 - 0.0325 (b - 2))
//    With a short queue, a PE waits while a message waits for its slot, and so do the worms behind that
//    message; circuits are an advantage only if most of the traffic uses them. In a long queue, messages
//    collect until they fill a slot, and the PE continues. Below `down` most hits are accidental. The figures
//    are measured (grids C5 and C6, buffers from 128 bytes on).
//    The decision is the same for all NICs and is changed seldom, because a change has a cost: words of a
//    connection wait for earlier words of the other kind. Phases shorter than the mean count as mixed
//    traffic.
// 3. A slot (or S_W) that waits and was passed over for long is served; of several, the one passed over most,
//    of equals S_W first. "Long" is, for b < 2.2, 1.5 rounds of K slots, because waiting data blocks a PE.
//    Otherwise it is 3 rounds for S_W. For a predictive slot it is at least 3 rounds, and until times passed
//    over * connections wanted reach 3 rounds * inputs at which worms wait, or 1.5 b rounds (at least 3, at
//    most 9). The fewer connections wait in a slot, the longer they wait, so that accidental hits do not
//    interrupt worms.
// 4. In the background the slot with most waiting connections is served, and S_W if there is none: the queues
//    are soon empty, because no messages enter them.
// 5. Otherwise the slot with most waiting connections is served if they carry more than the worms would:
//      connections * (words a circuit carries in a slot) >= inputs with worms * (words of worms in a slot).
//    A circuit carries the words of a slot without guard and reconfiguration, or the words in its queue if
//    these are fewer. A worm takes a scheduler pass and a reconfiguration in addition to its words. If worms
//    would carry more, S_W is served.
//
// Related work. Serving the largest backlog, and changing a configuration only if the gain is larger than the
// loss, is MaxWeight with hysteresis (Adaptive MaxWeight, C.-H. Wang; G. Celik and others, "Dynamic
// scheduling with reconfiguration delays", Queueing Systems 2016). Deciding between circuits and packets by
// the backlog: c-Through and Helios (SIGCOMM 2010), REACToR (NSDI 2014). Weighing the duration of a
// configuration against its set-up: Solstice (CoNEXT 2015), Eclipse (SIGMETRICS 2016). They plan with known
// demand for delays of microseconds and more. Here a slot is a fraction of a microsecond, so the rules use
// counters only, and worms use the ports that circuits leave free.
#include <algorithm>

#include "emulator/network/timing.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

constexpr Share percent(std::int64_t n) { return kWhole * n / 100; }

class Adaptive final : public Allocation {
 public:
  explicit Adaptive(const SwitchParameters& p) : length_(p.slot_length) {
    const Timing timing(p);
    const auto in_slot = [&](Time usable) { return std::max<std::int64_t>(1, usable / timing.word); };
    const auto slot_words = static_cast<std::uint64_t>(in_slot(length_));
    // More than eight slots make no difference.
    const auto room = static_cast<std::int64_t>(std::min(timing.room, 8 * slot_words));
    const Share buffer = kWhole * room / static_cast<std::int64_t>(slot_words);
    short_buffer_ = buffer < percent(220);
    if (short_buffer_) {
      const Share pays = std::max(percent(35), percent(115) - buffer * 2 / 5);
      up_ = pays + percent(2);
      down_ = pays - percent(2);
      patience_ = most_patience_ = std::max<std::uint32_t>(1, p.slots + p.slots / 2);
    } else {
      down_ = std::max(percent(27), percent(35) - (buffer - 2 * kWhole) * 13 / 400);
      up_ = std::max(percent(40), percent(53) - (buffer - 2 * kWhole) * 13 / 400);
      patience_ = 3 * p.slots;
      const Share rounds = std::clamp(buffer * 3 / 2, 3 * kWhole, 9 * kWhole);
      most_patience_ = static_cast<std::uint32_t>(rounds * p.slots / kWhole);
    }
    const std::int64_t circuit = std::min(in_slot(length_ - p.unusable_slot_time(true)), room);
    // Consecutive worms in a slot.
    const auto worm = static_cast<std::int64_t>(std::min(timing.worm_words, slot_words * 64));
    const auto overhead = static_cast<std::int64_t>(std::min(timing.worm_overhead, slot_words * 64));
    const Time takes =
        next_edge(p.scheduler.delay() + timing.network_reconfiguration + timing.word * (worm + overhead),
                  p.scheduler.cycle);
    const auto words_of_worms = static_cast<Share>(Wide{kWhole} * worm * length_.ps / takes.ps);
    threshold_ = static_cast<std::uint64_t>(std::max<Share>(1, words_of_worms / circuit));
  }

  SlotChoice choose_slot(const CycleState& state) const override {
    if (!state.wanted.any()) return {state.wormhole_slot ? state.slots : kIdleSlot, length_};
    std::uint32_t best = kIdleSlot, oldest = kIdleSlot;
    for (std::uint32_t k = 1; k <= state.slots; ++k) {
      const std::uint32_t slot = (state.previous_predictive + k) % state.slots;
      if (!state.wanted.test(slot)) continue;
      if (best == kIdleSlot || state.wanted_connections[slot] > state.wanted_connections[best]) best = slot;
      if (overdue(state, slot) &&
          (oldest == kIdleSlot || state.passed_over[slot] > state.passed_over[oldest]))
        oldest = slot;
    }
    if (state.wormhole_slot && state.passed_over[state.slots] >= patience_ &&
        (oldest == kIdleSlot || state.passed_over[state.slots] >= state.passed_over[oldest]))
      return {state.slots, length_};
    if (oldest != kIdleSlot) return {oldest, length_, true};
    if (!state.wormhole_slot || !state.foreground ||
        pays(state.wanted_connections[best], state.wormhole_inputs))
      return {best, length_, true};
    return {state.slots, length_};
  }
  bool foreground(const CycleState& state) const override {
    return state.predictable >= (state.foreground ? down_ : up_);
  }
  Time longest_slot() const override { return length_; }
  bool needs_signals() const override { return true; }

 private:
  __extension__ using Wide = __int128;

  bool pays(std::uint64_t connections, std::uint64_t worms) const {
    return connections * kWhole >= worms * threshold_;
  }
  bool overdue(const CycleState& state, std::uint32_t slot) const {
    const std::uint64_t passed = state.passed_over[slot];
    if (passed >= most_patience_) return true;
    return passed >= patience_ &&
           passed * state.wanted_connections[slot] >= std::uint64_t{patience_} * state.wormhole_inputs;
  }

  Time length_;
  bool short_buffer_;
  Share up_, down_;
  std::uint32_t patience_, most_patience_;  // times passed over
  std::uint64_t threshold_ = 0;             // connections for each input with worms, in 1/kWhole
};

// Not on fat trees: a shared slot (CycleState) combines circuits of several slots without a CircuitPlan, and
// their paths may use the same link.
const AllocationRegistration kAdaptive{
    "adaptive", "ours: circuits while they carry more than worms, worms at the other ports",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> { return std::make_unique<Adaptive>(p); }};

}  // namespace

}  // namespace hybrid
