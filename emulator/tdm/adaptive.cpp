// ADAPTIVE (ours): circuits while they pay, each port preempted by itself, the rest of the time for worms.
// Nobody tells it the ratio of predictable traffic or the boundaries of phases; it knows what waits, what was
// offered of late, and the hardware's sizes.
//
// Rules
// 1. A predictive slot is shared (SlotChoice): only connections that data waits for are configured, first
//    those of the slot chosen, then those of the others whose ports are free; worms pass between the ports
//    left. PREEMPT (D 4.5) gives back a slot that nobody needs; this gives back each port that nobody needs.
// 2. Foreground or background. `share` is the part of the words offered of late whose connection the NIC's
//    table holds: the mean of 128 slots full of data from every port, of all words until there are so many.
//    In the background NICs send worms only. Circuits go to the background when the share falls below `down`
//    and come back when it has reached `up`. Where a NIC queue holds b slots' words,
//      b < 2.2:    pays = max(0.35, 1.15 - 0.4 b);  down = pays - 0.02, up = pays + 0.02
//      otherwise:  down = max(0.27, 0.35 - 0.0325 (b - 2)), up = max(0.40, 0.53 - 0.0325 (b - 2))
//    A short queue makes its PE wait while a message waits for its slot, and with it the worms behind that
//    could have gone; so circuits pay only where most of the traffic takes them. In a long one messages
//    gather until a slot is worth its time, and the PE goes on. Below `down` what hits the table does so
//    mostly by chance. The figures are measured (grids C5 and C6, buffers from 128 bytes on).
//    It is one decision for all NICs, and seldom taken, as going over costs: words of a connection wait for
//    those before them that went the other way. So phases shorter than the mean are taken as mixed traffic.
// 3. A slot that waits (S_W too) and was passed over for long has its turn, of those the one passed over
//    most; S_W first among equals. Long is, for b < 2.2, 1.5 rounds of K slots, as who waits blocks a PE.
//    Otherwise it is 3 rounds for S_W, and for a predictive slot as soon after 3 rounds as times passed over
//    * connections wanted come to 3 rounds * inputs at which worms wait, or 1.5 b rounds (3 at least, 9 at
//    most). So the fewer wait in a slot, the longer, and chance hits do not tear worms apart.
// 4. In the background the slot wanted most has its turn, and S_W when nothing is wanted: queues empty soon,
//    and nobody keeps one filled by joining it.
// 5. Otherwise the slot wanted most has its turn where its connections carry more than the worms would: where
//      connections * (words a circuit carries in a slot) >= inputs with worms * (words of worms in a slot).
//    A circuit carries a slot, less guard and reconfiguration, or what its queue holds, if that is less. A
//    worm takes a scheduler pass and a reconfiguration besides its words. If worms would carry more, S_W.
//
// Related work. To serve what most data waits for, and to leave a configuration only where the gain outweighs
// the loss, is MaxWeight with hysteresis (Adaptive MaxWeight, C.-H. Wang; G. Celik and others, "Dynamic
// scheduling with reconfiguration delays", Queueing Systems 2016). To let the backlog decide between circuits
// and packets: c-Through and Helios (SIGCOMM 2010), REACToR (NSDI 2014). To weigh how long a configuration
// stays against its set-up: Solstice (CoNEXT 2015), Eclipse (SIGMETRICS 2016). They plan with known demand
// for delays of microseconds and more; here a slot is a fraction of a microsecond, so the rules read counters
// only, and worms use the very ports that circuits leave.
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
    // Beyond eight slots nothing changes any more.
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
    // In a slot, worms that follow one another: no more words than fill it are asked for.
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

// Not on fat trees: a shared slot (CycleState) combines circuits of several slots, and their paths may use
// the same link.
const AllocationRegistration kAdaptive{
    "adaptive", "ours: circuits while they pay, worms at the ports they do not need",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> { return std::make_unique<Adaptive>(p); }};

}  // namespace

}  // namespace hybrid
