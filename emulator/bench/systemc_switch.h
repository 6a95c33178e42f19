// The wormhole switch of docs/timing.md in idiomatic SystemC: one module per NIC and per switch input, one
// for the scheduler and one for the fabric, with one clock of a word time. Signals carry words, credits,
// grants and, for the requests of an input, one mask instead of a signal per bit.
//
// Reference for speed. It equals the emulator cycle by cycle for preset ch5 (all delays are multiples of the
// word time), messages of one worm, per-destination queues and credits.
//
// A signal written in one cycle is read in the next, so a wire of 8 cycles is a signal and a delay line of 7.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/bench/saturated_traffic.h"

namespace hybrid::bench {

class SystemcSwitch {
 public:
  /// All switches must be constructed before the first run. `parameters` come from reference_parameters().
  explicit SystemcSwitch(const SwitchParameters& parameters);
  ~SystemcSwitch();
  SystemcSwitch(const SystemcSwitch&) = delete;
  SystemcSwitch& operator=(const SystemcSwitch&) = delete;

  /// Advances by `cycles`; other switches do not advance.
  void run(std::uint64_t cycles);
  /// Number of cycles run so far.
  std::uint64_t cycles() const;
  Delivered delivered() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace hybrid::bench
