// The library's side of libhybrid/hybrid.h, which finds these functions by name.
#include <exception>
#include <span>

#include "libhybrid/shim/open_phases.h"
#include "libhybrid/shim/process.h"
#include "libhybrid/shim/wrappers.h"

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

}  // namespace

void end_open_phases(Thread& thread) noexcept { leave_phases(thread, 0); }

void come_to_phase(Thread& thread, Ticks now) noexcept {
  if (!process().options.replay.tell_phases || !process().prediction.takes_phases()) return;
  const std::size_t depth = open_phases.depth;
  const std::uint32_t region =
      depth == 0 || depth > open_phases.kept() ? kUnnamedPhase : open_phases.phases[depth - 1].region;
  process().prediction.come_to_phase(thread, now != 0 ? now : ticks(),
                                     region + 1);  // 0: none that has a name
}

}  // namespace hybrid::shim

using namespace hybrid::shim;

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_begin(const char* name) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  const std::uint32_t region = region_of(name);  // without a name, too: its end is to come
  come_to_phase(*thread, open_phase(*thread, {.region = region}));
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_end(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr || open_phases.depth == 0) return;
  come_to_phase(*thread, leave_phases(*thread, open_phases.depth - 1));
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_preload(const int* ranks, int count) {
  Thread* const thread = recording_thread();
  if (thread == nullptr || ranks == nullptr || count <= 0) return;
  const std::span all(ranks, static_cast<std::size_t>(count));
  process().prediction.preload(all, hybrid::shim::ticks());
  for (const int rank : all)
    if (rank >= 0 && rank < process().size && rank != process().rank) record_hints(*thread, {&rank, 1});
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_flush(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  record_phase_event(*thread, hybrid::EventKind::flush, 0);
  process().compiled.flushed();
  process().prediction.flush(hybrid::shim::ticks());
}
