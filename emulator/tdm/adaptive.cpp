// ADAPTIVE (ours): circuits while they pay, each port preempted by itself, the rest of the time for worms.
// Nobody tells it the ratio of predictable traffic or the boundaries of phases; it knows what waits, what was
// offered of late, and the hardware's sizes.
//
// Rules
// 1. A predictive slot is shared (SlotChoice): only connections that data waits for are configured, first
//    those of the slot chosen, then those of the others whose ports are free; worms pass between the ports
//    left. PREEMPT (D 4.5) gives back a slot that nobody needs; this gives back each port that nobody needs.
// 2. Foreground or background. With `share` the part of the words offered of late whose connection the NIC's
//    table holds, circuits are in the foreground from kUp on and in the background from kDown down, with
//      buffer of b slots' words, b < 2.2: max(0.35, 1.15 - 0.4 b) + 0.02 and - 0.02;   else: 0.17 and 0.15.
//    In the background NICs send worms only. A short buffer makes its PE wait while a message waits for its
//    slot, and a worm behind it that could have gone; so circuits pay only where most of the traffic takes
//    them. A long buffer lets a slot's connections gather, and the PE go on: they pay from a sixth on. Below
//    that, what hits the table does so by chance.
//    One decision for all NICs, after the mean of many slots: going over costs, since words of a connection
//    wait for those before them on the other way. (So a turn of phases shorter than that looks mixed.)
// 3. What waits (S_W too) and was passed over `patience` times has its turn, the one passed over most; S_W
//    first among equals. Patience is 1.5 rounds of K where b < 2.2, as who waits blocks a PE; else 3 rounds,
//    and where the share is below 0.45 so many more (up to 9) as slots fill more slowly: 1.35 / share.
// 4. In the background the slot wanted most has its turn, and S_W when nothing is wanted: queues empty soon,
//    and nobody keeps one filled by joining it.
// 5. Otherwise the slot wanted most has its turn where its connections carry more than the worms would: where
//      connections * (words a circuit carries in a slot) >= inputs with worms * (words of worms in a slot).
//    A circuit carries a slot, less guard and reconfiguration, or what its queue holds, if that is less. A
//    worm takes a scheduler pass and a reconfiguration besides its words. If worms would carry more, S_W.
//
// Related work: to serve what most data waits for, and to go over to another configuration only where the
// gain outweighs its cost, is MaxWeight with hysteresis (Celik and others, adaptive MaxWeight for networks
// with reconfiguration delay); to let the backlog decide between circuits and packets, c-Through and Helios
// (SIGCOMM 2010) and REACToR (NSDI 2014); to weigh a configuration's length against its reconfiguration,
// Solstice (CoNEXT 2015) and Eclipse (SIGMETRICS 2016); to change some ports and leave the others alone,
// Albedo. They plan for delays of microseconds and more with known demand; here a slot is a fraction of a
// microsecond, so the rules read counters only, and worms use the very ports that circuits leave.
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
    // Beyond four slots nothing changes any more.
    const auto room = static_cast<std::int64_t>(std::min(timing.room, 4 * slot_words));
    const Share buffer = kWhole * room / static_cast<std::int64_t>(slot_words);
    short_buffer_ = buffer < percent(220);
    if (short_buffer_) {
      const Share pays = std::max(percent(35), percent(115) - buffer * 2 / 5);
      up_ = pays + percent(2);
      down_ = pays - percent(2);
    }
    const std::int64_t circuit = std::min(in_slot(length_ - p.guard - p.reconfiguration), room);
    // In a slot, worms that follow one another: no more words than fill it are asked for.
    const auto worm = static_cast<std::int64_t>(std::min(timing.worm_words, slot_words * 64));
    const auto overhead = static_cast<std::int64_t>(std::min(timing.worm_overhead, slot_words * 64));
    const Time takes = next_edge(
        p.scheduler.delay() + timing.reconfiguration + timing.word * (worm + overhead), p.scheduler.cycle);
    const auto words_of_worms = static_cast<Share>(Wide{kWhole} * worm * length_.ps / takes.ps);
    threshold_ = static_cast<std::uint64_t>(std::max<Share>(1, words_of_worms / circuit));
  }

  SlotChoice next(const CycleState& state) const override {
    if (!state.wanted.any()) return {state.wormhole_slot ? state.slots : kIdleSlot, length_};
    const std::uint32_t patience = this->patience(state);
    std::uint32_t best = kIdleSlot, oldest = kIdleSlot;
    for (std::uint32_t k = 1; k <= state.slots; ++k) {
      const std::uint32_t slot = (state.previous_predictive + k) % state.slots;
      if (!state.wanted.test(slot)) continue;
      if (best == kIdleSlot || state.wanted_connections[slot] > state.wanted_connections[best]) best = slot;
      if (state.passed_over[slot] >= patience &&
          (oldest == kIdleSlot || state.passed_over[slot] > state.passed_over[oldest]))
        oldest = slot;
    }
    if (state.wormhole_slot && state.passed_over[state.slots] >= patience &&
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
  Time longest() const override { return length_; }
  bool needs_signals() const override { return true; }

 private:
  __extension__ using Wide = __int128;

  bool pays(std::uint64_t connections, std::uint64_t worms) const {
    return connections * kWhole >= worms * threshold_;
  }
  std::uint32_t patience(const CycleState& state) const {
    if (short_buffer_) return state.slots + state.slots / 2;
    constexpr Share kFewest = percent(135) / 9;
    const Share rounds = kWhole * percent(135) / std::max(state.predictable, kFewest);
    return static_cast<std::uint32_t>(std::max(rounds, 3 * kWhole) * state.slots / kWhole);
  }

  Time length_;
  bool short_buffer_ = false;
  Share up_ = percent(17), down_ = percent(15);
  std::uint64_t threshold_ = 0;  // connections for each input with worms, in 1/kWhole
};

const AllocationRegistration kAdaptive{
    "adaptive", "ours: circuits while they pay, worms at the ports they do not need",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> { return std::make_unique<Adaptive>(p); }};

}  // namespace

}  // namespace hybrid
