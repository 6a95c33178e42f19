// Replays of jobs in memory on a network that only delays: what the tests of the replay share.
#pragma once

#include <string>

#include "core/error.h"
#include "emulator/replay/memory_trace_for_test.h"
#include "emulator/replay/replay.h"

namespace hybrid {

inline constexpr Time kLatency = FixedLatency::kLatency;

/// On technique "fixed-latency", which replay_test.cpp registers.
inline ReplayResult run(MemoryTrace& trace, const ReplayOptions& options = {}) {
  SwitchParameters parameters;
  parameters.technique = "fixed-latency";
  return replay(trace, parameters, options);
}

inline std::string error_of(MemoryTrace& trace, const ReplayOptions& options = {}) {
  try {
    run(trace, options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace hybrid
