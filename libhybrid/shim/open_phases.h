// The phases that the calling thread is in, whoever told them: the program (libhybrid/hybrid.h) or its
// compiler (compiled_marks.cpp). Their begins and ends become events.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libhybrid/shim/thread.h"

struct hybrid_unit;

namespace hybrid::shim {

/// A phase without a name, or that cannot be told for want of memory: the program goes on without it.
inline constexpr std::uint32_t kUnnamedPhase = ~std::uint32_t{0};

struct OpenPhase {
  std::uint32_t region = kUnnamedPhase;
  std::uint32_t phase = 0;            // of the unit
  const hybrid_unit* unit = nullptr;  // null: told by the program
};

/// Deeper ones than there is room for are counted only.
struct OpenPhases {
  std::array<OpenPhase, 64> phases;
  std::size_t depth = 0;

  std::size_t kept() const { return std::min(depth, phases.size()); }
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local OpenPhases open_phases;

/// An event of the phases: a begin, an end, a flush. Its time.
inline Ticks record_phase_event(Thread& thread, EventKind kind, std::uint32_t region) {
  const Ticks now = thread.enter();
  thread.record({.kind = kind, .request = region}, now, now);
  return now;
}

/// What hints tell of the innermost phase: ranks that this one sends to in it.
inline void record_hints(Thread& thread, std::span<const int> ranks) {
  if (ranks.empty() || open_phases.depth == 0 || open_phases.depth > open_phases.phases.size()) return;
  if (open_phases.phases[open_phases.depth - 1].region == kUnnamedPhase) return;
  for (const int rank : ranks) thread.decision(EventKind::hint, static_cast<std::uint32_t>(rank), ticks());
}

/// The time of its begin; 0 where none was recorded.
inline Ticks open_phase(Thread& thread, const OpenPhase& phase) {
  Ticks now = 0;
  if (open_phases.depth < open_phases.phases.size()) {
    open_phases.phases[open_phases.depth] = phase;
    if (phase.region != kUnnamedPhase) now = record_phase_event(thread, EventKind::phase_begin, phase.region);
  }
  ++open_phases.depth;
  return now;
}

/// The thread's innermost phase is another one since `now`: the predictor is told (hints.cpp). A time that
/// was read before, as reading it is what a mark mostly costs; 0 where it was not.
void come_to_phase(Thread& thread, Ticks now) noexcept;

/// Ends all phases but the outermost `depth`, the innermost first. The time of the last end; 0 for none.
inline Ticks leave_phases(Thread& thread, std::size_t depth) {
  Ticks now = 0;
  for (std::size_t i = open_phases.kept(); i > depth; --i)
    if (const std::uint32_t region = open_phases.phases[i - 1].region; region != kUnnamedPhase)
      now = record_phase_event(thread, EventKind::phase_end, region);
  open_phases.depth = std::min(open_phases.depth, depth);
  return now;
}

}  // namespace hybrid::shim
