// The wormhole switch of docs/timing.md as a SystemC designer would write it: a module per NIC and per switch
// input, one for the scheduler and one for the fabric, all on one clock of a word time; signals between them
// carry words, credits, grants and, for the requests of an input, one mask, not a signal a bit.
//
// It is the reference for speed, and equals the emulator cycle by cycle: preset ch5, whose delays are all
// multiples of the word time, messages of one worm, per-destination queues, credits.
//
// A signal that is written in one cycle is read in the next; so the wire of 8 cycles is a signal and a delay
// line of 7.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/bench/saturated_traffic.h"

namespace hybrid::bench {

class SystemcSwitch {
 public:
  /// To be made before the first run of any; `parameters` as reference_parameters() gives them.
  explicit SystemcSwitch(const SwitchParameters& parameters);
  ~SystemcSwitch();
  SystemcSwitch(const SystemcSwitch&) = delete;
  SystemcSwitch& operator=(const SystemcSwitch&) = delete;

  /// Goes on for `cycles`; other switches stand still meanwhile.
  void run(std::uint64_t cycles);
  /// Cycles 0 .. cycles() - 1 have passed.
  std::uint64_t cycles() const;
  Delivered delivered() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace hybrid::bench
