// The phases that the calling thread is in, from both sources of hints: calls of libhybrid/hybrid.h by the
// program, and marks of its compiler (core/hint_abi.h). Begins and ends of phases become events.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libhybrid/shim/inspected_sends.h"
#include "libhybrid/shim/thread.h"

struct hybrid_unit;

namespace hybrid::shim {

class Process;

/// Region of a phase without a name, or of one that could not be named because memory is short. Such a phase
/// is not recorded.
inline constexpr std::uint32_t kUnnamedPhase = ~std::uint32_t{0};

struct OpenPhase {
  std::uint32_t region = kUnnamedPhase;
  std::uint32_t phase = 0;            // index in `unit`
  const hybrid_unit* unit = nullptr;  // nullptr: latest_recording by the program with hybrid.h
};

/// Stack of the open phases of a thread. Phases deeper than the array are only counted.
struct OpenPhases {
  std::array<OpenPhase, 64> phases;
  std::size_t depth = 0;

  std::size_t kept() const { return std::min(depth, phases.size()); }
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local OpenPhases open_phases;

/// Records a begin, an end or a flush. Returns its time.
inline Ticks record_phase_event(Thread& thread, EventKind kind, std::uint32_t region) {
  const Ticks now = thread.enter();
  thread.record({.kind = kind, .request = region}, now, now);
  return now;
}

/// Records the ranks that this one sends to in its innermost phase, as hints.
inline void record_hints(Thread& thread, std::span<const int> ranks) {
  if (ranks.empty() || open_phases.depth == 0 || open_phases.depth > open_phases.phases.size()) return;
  if (open_phases.phases[open_phases.depth - 1].region == kUnnamedPhase) return;
  for (const int rank : ranks) thread.decision(EventKind::hint, static_cast<std::uint32_t>(rank), ticks());
}

/// Begins a phase. Returns the time of its begin; 0 when none was recorded.
inline Ticks open_phase(Thread& thread, const OpenPhase& phase) {
  Ticks now = 0;
  if (open_phases.depth < open_phases.phases.size()) {
    open_phases.phases[open_phases.depth] = phase;
    if (phase.region != kUnnamedPhase) now = record_phase_event(thread, EventKind::phase_begin, phase.region);
  }
  ++open_phases.depth;
  return now;
}

/// Ends the inspections in more than `depth` open phases and those by `inspector`: compares what they
/// reported with what was sent.
void end_inspections(std::size_t depth, const void* inspector);

/// Ends all phases but the outermost `depth`, the innermost first. Returns the time of the last end; 0 when
/// none was recorded.
inline Ticks leave_phases(Thread& thread, std::size_t depth) {
  Ticks now = 0;
  for (std::size_t i = open_phases.kept(); i > depth; --i)
    if (const std::uint32_t region = open_phases.phases[i - 1].region; region != kUnnamedPhase)
      now = record_phase_event(thread, EventKind::phase_end, region);
  open_phases.depth = std::min(open_phases.depth, depth);
  if (inspected_sends != nullptr) [[unlikely]]
    end_inspections(depth, nullptr);
  return now;
}

/// Ends the phases that the calling thread is in.
void end_open_phases(Thread& thread) noexcept;

/// Reads the compiler's hints of all loaded objects. Call it once process() is valid.
void load_compiled_hints(Process& process) noexcept;

/// Begins the compiled phases that the calling thread entered before the recording began.
void begin_early_phases() noexcept;

}  // namespace hybrid::shim
