// The library's side of libhybrid/hybrid.h and of the compiler's marks (core/hint_abi.h). Both find the
// functions of this file by name.
//
// Phases nest. Compiled marks follow these rules:
// - A begin, an end and a flush are recorded like those of hybrid.h; a phase has the name from its note.
// - An end also ends the phases that were latest_recording inside this phase: the program left them by a jump
// or an
//   exception. The end of a phase that is not open does nothing.
// - The begin of an open phase ends that phase first: the program left it by a jump or an exception. In a
//   recursion the phase is therefore that of the innermost call, and none after that call has ended.
// - At a begin, the known ranks that this one will send to go to the live scheduler. They are also recorded
//   after the begin where they differ from the last time.
// - Phases that the thread which starts MPI entered before MPI_Init (usually main's) begin when MPI runs.
// - An inspection adds ranks to those of the phase that has just begun.
// - A mark of an unusable unit does nothing; the unit is reported once. A mark after MPI_Finalize does
// nothing.
#include "libhybrid/shim/phases.h"

#include <array>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libhybrid/shim/inspected_mpi.h"
#include "libhybrid/shim/interposition.h"
#include "libhybrid/shim/process.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

constinit thread_local OpenPhases open_phases;

namespace {

std::uint32_t region_of(const char* name) {
  if (name == nullptr) return kUnnamedPhase;
  try {
    return process().region(name);
  } catch (const std::exception&) {
    return kUnnamedPhase;
  }
}

/// Notifies the predictor that the thread's innermost phase changed at `now`. The caller passes the time of
/// the phase event, because reading the clock is most of the cost of a mark; 0 reads it here.
void notify_phase_change(Thread& thread, Ticks now) noexcept {
  if (!process().options.replay.notify_predictors || !process().prediction.takes_phases()) return;
  const std::size_t depth = open_phases.depth;
  const std::uint32_t region =
      depth == 0 || depth > open_phases.kept() ? kUnnamedPhase : open_phases.phases[depth - 1].region;
  process().prediction.on_phase(thread, now != 0 ? now : ticks(), region + 1);  // 0: no named phase
}

void report(const std::vector<std::string>& messages) {
  if (process().rank != 0) return;
  for (const std::string& text : messages) warn("hints are ignored: " + text);
}

/// Phases that a thread began before MPI runs and did not end, without the values that their marks passed.
/// The array bounds their number; the rest is ignored.
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
  process().prediction.flush(thread);  // the decisions about earlier sends are recorded before
  record_phase_event(thread, EventKind::flush, 0);
}

void begin(Thread& thread, const hybrid_unit* unit, std::uint32_t index, std::int64_t holds,
           const std::int64_t* values) {
  std::vector<std::string> messages;
  CompiledPhase* const phase = process().compiled.find(unit, index, messages);
  if (!messages.empty()) [[unlikely]]
    report(messages);
  if (phase == nullptr) return;
  leave_phases(thread, place_of(unit, index));
  const std::uint32_t region = region_of(*phase);
  const CompiledHints::Begin now = process().compiled.begin(*phase, holds, values);
  if (now.flush) flush(thread);
  if (!now.preload.empty()) process().prediction.preload(thread, now.preload);
  const Ticks began = open_phase(thread, {.region = region, .phase = index, .unit = unit});
  record_hints(thread, now.record);
  notify_phase_change(thread, began);
}

/// What a thread needs for inspections.
struct ThreadInspections {
  RecordedMpi mpi;
  Inspection inspection{mpi};
  InspectedSends sends;
  ~ThreadInspections() { inspected_sends = nullptr; }
};

void inspect(Thread& thread, const hybrid_unit* unit, std::uint32_t index, hybrid_inspector* inspector,
             const std::uint64_t* inputs) {
  static thread_local std::unique_ptr<ThreadInspections> own;
  std::vector<std::string> messages;
  CompiledPhase* const phase = process().compiled.find(unit, index, messages);
  const void* const identity = reinterpret_cast<const void*>(inspector);
  if (phase == nullptr) return;
  if (own == nullptr) {
    own = std::make_unique<ThreadInspections>();
    inspected_sends = &own->sends;
  }
  end_inspections(~std::size_t{0}, identity);
  if (!process().compiled.wants(*phase, identity)) return;
  const std::span<const int> ranks = own->inspection.run(inspector, inputs);
  const CompiledHints::Begin now = process().compiled.inspected(*phase, identity, ranks, own->inspection);
  if (own->inspection.speculative()) own->sends.begin(*phase, identity, open_phases.depth, ranks);
  if (!now.preload.empty()) process().prediction.preload(thread, now.preload);
  record_hints(thread, now.record);
}

void end(Thread& thread, const hybrid_unit* unit, std::uint32_t index) {
  if (const std::size_t place = place_of(unit, index); place < open_phases.depth) {
    notify_phase_change(thread, leave_phases(thread, place));
  } else if (open_phases.depth > open_phases.kept()) {
    --open_phases.depth;  // the phase is only counted
  }
}

}  // namespace

void end_inspections(std::size_t depth, const void* inspector) {
  inspected_sends->end(depth, inspector, [](const InspectedSends::Inspected& inspected) {
    process().compiled.settle(*inspected.phase, inspected.inspector, inspected.count, inspected.used_ranks());
  });
}

void end_open_phases(Thread& thread) noexcept { leave_phases(thread, 0); }

void load_compiled_hints(Process& process) noexcept {
  try {
    process.compiled.start(static_cast<std::uint32_t>(process.rank),
                           static_cast<std::uint32_t>(process.size));
    report(process.compiled.load());
  } catch (const std::exception&) {
    // Memory is short: no hints.
  }
}

void begin_early_phases() noexcept {
  Thread* const thread = recording_thread();
  const EarlyPhases early = std::exchange(early_phases, {});
  if (thread == nullptr) return;
  try {
    for (const EarlyPhase& phase : std::span(early.phases.data(), early.count))
      begin(*thread, phase.unit, phase.phase, phase.holds, nullptr);
  } catch (const std::exception&) {
    // Memory is short: the program continues without these hints.
  }
}

}  // namespace hybrid::shim

using namespace hybrid;
using namespace hybrid::shim;

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_begin(const char* name) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  const std::uint32_t region = region_of(name);  // a phase without a name also has an end
  notify_phase_change(*thread, open_phase(*thread, {.region = region}));
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_end(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr || open_phases.depth == 0) return;
  notify_phase_change(*thread, leave_phases(*thread, open_phases.depth - 1));
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_preload(const int* ranks, int count) {
  Thread* const thread = recording_thread();
  if (thread == nullptr || ranks == nullptr || count <= 0) return;
  const std::span all(ranks, static_cast<std::size_t>(count));
  process().prediction.preload(*thread, all);
  for (const int rank : all)
    if (rank >= 0 && rank < process().size && rank != process().rank) record_hints(*thread, {&rank, 1});
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_flush(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  process().prediction.flush(*thread);  // the decisions about earlier sends are recorded before
  record_phase_event(*thread, EventKind::flush, 0);
  process().compiled.flushed();
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_compiled_mark(const hybrid_unit* unit, std::uint32_t phase,
                                                                std::uint32_t mark, std::int64_t holds,
                                                                const std::int64_t* values) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) {
    if (mark == HYBRID_MARK_BEGIN && unit != nullptr) early_phases.begin({unit, phase, holds});
    if (mark == HYBRID_MARK_END) early_phases.end(unit, phase);
    return;
  }
  try {
    switch (mark) {
      case HYBRID_MARK_BEGIN:
        return begin(*thread, unit, phase, holds, values);
      case HYBRID_MARK_END:
        return end(*thread, unit, phase);
      case HYBRID_MARK_FLUSH:
        process().compiled.flushed();
        return flush(*thread);
      default:
        return;  // marks of code that the compiler skipped carry no information
    }
  } catch (const std::exception&) {
    // Memory is short: the program continues without this hint.
  }
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_compiled_inspect(const hybrid_unit* unit,
                                                                   std::uint32_t phase,
                                                                   hybrid_inspector* inspector,
                                                                   const std::uint64_t* inputs) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  try {
    inspect(*thread, unit, phase, inspector, inputs);
  } catch (const std::exception&) {
    // Memory is short: the program continues without this hint.
  }
}
