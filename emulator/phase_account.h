// Keeps account of a run's phases, for whoever knows which phase a message and a moment belong to: a pattern
// of synthetic traffic (emulator/traffic/phase_record.h), a replayed job (emulator/replay/job_report.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/units.h"
#include "emulator/measures.h"

namespace hybrid {

class PhaseAccount {
 public:
  /// A phase more; returns its number: 0, 1, ...
  std::uint32_t add(std::string name);

  void message(std::uint32_t phase, Bytes payload) {
    ++phases_[phase].messages;
    phases_[phase].bytes += payload;
  }
  void hit(std::uint32_t phase) { ++phases_[phase].hits; }
  void latency(std::uint32_t phase, Time latency) { phases_[phase].latency.add(latency); }
  /// Somebody was in it for so long.
  void time(std::uint32_t phase, Time spent) { times_[phase] += static_cast<Sum>(spent.ps); }

  /// In order of number, times being means over `members`; those in which there was neither a message nor any
  /// time are left out. The means add up to the mean of the sum, to the picosecond. Utilisations are not set.
  std::vector<PhaseMeasures> finish(std::uint64_t members) const;

 private:
  __extension__ using Sum = __int128;  // a large job's times together do not fit into a Time
  std::vector<PhaseMeasures> phases_;
  std::vector<Sum> times_;
};

}  // namespace hybrid
