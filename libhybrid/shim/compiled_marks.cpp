// What compiled programs call at the borders of their phases (core/hint_abi.h).
//
// - A begin and an end are recorded as those of hybrid.h are, under the phase's name; a flush as its flush.
// - Phases nest. An end ends what was begun inside the phase, too, which the program has left by a jump or an
//   exception; the end of a phase that is not open does nothing. The begin of a phase that is open ends that
//   one first: it was left the same way. (A recursion therefore is in its innermost call's phase, and in none
//   of these after that has ended.)
// - At a begin the ranks that this one will send to, as far as they are known, go to the live scheduler, and
//   into the recording behind the begin, where they are others than the last time.
// - Phases that the thread which starts MPI is in before (main's, mostly) begin when MPI runs.
// - A mark of a unit that cannot be used does nothing but to be told once; so one after MPI_Finalize.
#include <array>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libhybrid/shim/open_phases.h"
#include "libhybrid/shim/process.h"
#include "libhybrid/shim/warnings.h"
#include "libhybrid/shim/wrappers.h"

namespace hybrid::shim {
namespace {

void tell(const std::vector<std::string>& messages) {
  if (process().rank != 0) return;
  for (const std::string& text : messages) warn("hints that are left out: " + text);
}

/// What a thread began before MPI runs and did not end. More than there is room for is left out.
struct EarlyPhase {
  const hybrid_unit* unit = nullptr;
  std::uint32_t phase = 0;
  std::int64_t holds = 1;
};
struct EarlyPhases {
  std::array<EarlyPhase, 16> phases;
  std::size_t count = 0;

  void end(const hybrid_unit* unit, std::uint32_t phase) {
    for (std::size_t i = count; i > 0; --i)
      if (phases[i - 1].unit == unit && phases[i - 1].phase == phase) {
        count = i - 1;
        return;
      }
  }
  void begin(const EarlyPhase& early) {
    end(early.unit, early.phase);
    if (count < phases.size()) phases[count++] = early;
  }
};
constinit thread_local EarlyPhases early_phases;

std::size_t place_of(const hybrid_unit* unit, std::uint32_t phase) {
  const std::span kept(open_phases.phases.data(), open_phases.kept());
  for (std::size_t i = kept.size(); i > 0; --i)
    if (kept[i - 1].unit == unit && kept[i - 1].phase == phase) return i - 1;
  return open_phases.depth;
}

std::uint32_t region_of(CompiledPhase& phase) {
  std::uint32_t region = phase.region.load(std::memory_order_relaxed);
  if (region == kUnnamedPhase) [[unlikely]] {
    region = process().region(phase.name.c_str());
    phase.region.store(region, std::memory_order_relaxed);
  }
  return region;
}

void flush(Thread& thread) {
  record_phase_event(thread, EventKind::flush, 0);
  process().prediction.flush(ticks());
}

void begin(Thread& thread, const hybrid_unit* unit, std::uint32_t index, std::int64_t holds) {
  std::vector<std::string> told;
  CompiledPhase* const phase = process().compiled.find(unit, index, told);
  if (!told.empty()) [[unlikely]]
    tell(told);
  if (phase == nullptr) return;
  leave_phases(thread, place_of(unit, index));
  const std::uint32_t region = region_of(*phase);
  const CompiledHints::Begin now = process().compiled.begin(*phase, holds);
  if (now.flush) flush(thread);
  if (!now.preload.empty()) process().prediction.preload(now.preload, ticks());
  const Ticks began = open_phase(thread, {.region = region, .phase = index, .unit = unit});
  record_hints(thread, now.record);
  come_to_phase(thread, began);
}

void end(Thread& thread, const hybrid_unit* unit, std::uint32_t index) {
  if (const std::size_t place = place_of(unit, index); place < open_phases.depth) {
    come_to_phase(thread, leave_phases(thread, place));
  } else if (open_phases.depth > open_phases.kept()) {
    --open_phases.depth;  // of one that is counted only
  }
}

}  // namespace

void load_compiled_hints(Process& process) noexcept {
  try {
    process.compiled.start(static_cast<std::uint32_t>(process.rank),
                           static_cast<std::uint32_t>(process.size));
    tell(process.compiled.load());
  } catch (const std::exception&) {
    // Short of memory: no hints.
  }
}

void begin_early_phases() noexcept {
  Thread* const thread = recording_thread();
  const EarlyPhases early = std::exchange(early_phases, {});
  if (thread == nullptr) return;
  try {
    for (const EarlyPhase& phase : std::span(early.phases.data(), early.count))
      begin(*thread, phase.unit, phase.phase, phase.holds);
  } catch (const std::exception&) {
    // Short of memory: the program goes on without these hints.
  }
}

}  // namespace hybrid::shim

using namespace hybrid::shim;

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_compiled_mark(const hybrid_unit* unit, std::uint32_t phase,
                                                                std::uint32_t mark, std::int64_t value) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) {
    if (mark == HYBRID_MARK_BEGIN && unit != nullptr) early_phases.begin({unit, phase, value});
    if (mark == HYBRID_MARK_END) early_phases.end(unit, phase);
    return;
  }
  try {
    switch (mark) {
      case HYBRID_MARK_BEGIN:
        return begin(*thread, unit, phase, value);
      case HYBRID_MARK_END:
        return end(*thread, unit, phase);
      case HYBRID_MARK_FLUSH:
        process().compiled.flushed();
        return flush(*thread);
      default:
        return;  // what the compiler left out says nothing about the run
    }
  } catch (const std::exception&) {
    // Short of memory: the program goes on without this hint.
  }
}
