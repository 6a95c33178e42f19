// The library's side of libhybrid/hybrid.h, which finds these functions by name.
#include <algorithm>
#include <array>
#include <exception>

#include "libhybrid/shim/process.h"
#include "libhybrid/shim/wrappers.h"

namespace hybrid::shim {

namespace {

// The phases that the thread is in. Deeper ones than there is room for are counted only.
struct OpenPhases {
  std::array<std::uint32_t, 64> regions;
  std::size_t depth = 0;
};
thread_local OpenPhases open_phases;

// A phase without a name, or that cannot be told for want of memory: the program goes on without it.
constexpr std::uint32_t kUnnamed = ~std::uint32_t{0};

std::uint32_t region_of(const char* name) {
  if (name == nullptr) return kUnnamed;
  try {
    return process().region(name);
  } catch (const std::exception&) {
    return kUnnamed;
  }
}

void mark(Thread& thread, EventKind kind, std::uint32_t region) {
  const Ticks now = thread.enter();
  thread.record({.kind = kind, .request = region}, now, now);
}

}  // namespace

void end_open_phases(Thread& thread) noexcept {
  for (std::size_t i = std::min(open_phases.depth, open_phases.regions.size()); i > 0; --i)
    if (const std::uint32_t region = open_phases.regions[i - 1]; region != kUnnamed)
      mark(thread, EventKind::phase_end, region);
  open_phases.depth = 0;
}

}  // namespace hybrid::shim

using namespace hybrid::shim;

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_begin(const char* name) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  const std::uint32_t region = region_of(name);  // without a name, too: its end is to come
  if (open_phases.depth < open_phases.regions.size()) {
    open_phases.regions[open_phases.depth] = region;
    if (region != kUnnamed) mark(*thread, hybrid::EventKind::phase_begin, region);
  }
  ++open_phases.depth;
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_phase_end(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr || open_phases.depth == 0) return;
  --open_phases.depth;
  if (open_phases.depth >= open_phases.regions.size()) return;
  const std::uint32_t region = open_phases.regions[open_phases.depth];
  if (region != kUnnamed) mark(*thread, hybrid::EventKind::phase_end, region);
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_preload(const int* ranks, int count) {
  if (recording_thread() == nullptr || ranks == nullptr || count <= 0) return;
  process().prediction.preload({ranks, static_cast<std::size_t>(count)}, hybrid::shim::ticks());
}

extern "C" HYBRID_SHIM_EXPORT void hybrid_library_flush(void) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return;
  mark(*thread, hybrid::EventKind::flush, 0);
  process().prediction.flush(hybrid::shim::ticks());
}
