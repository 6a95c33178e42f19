// Whether the ranks that inspectors report are sent to: the precision of speculative hints on this thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hybrid::shim {

class CompiledPhase;

/// The inspections of the phases that a thread is in.
class InspectedSends {
  static constexpr std::size_t kMost = 64;

 public:
  struct Inspected {
    CompiledPhase* phase;
    const void* inspector;
    std::size_t depth;             // number of open phases
    std::size_t count;             // of ranks
    std::array<int, kMost> ranks;  // the first that were reported
    std::uint64_t used;            // bit i: ranks[i] was sent to

    std::uint64_t used_ranks() const { return static_cast<std::uint64_t>(std::popcount(used)); }
  };

  void begin(CompiledPhase& phase, const void* inspector, std::size_t depth, std::span<const int> ranks) {
    if (ranks.empty()) return;
    Inspected& inspected =
        open_.emplace_back(Inspected{&phase, inspector, depth, std::min(ranks.size(), kMost), {}, 0});
    std::copy_n(ranks.begin(), inspected.count, inspected.ranks.begin());
  }
  void note_send(std::int32_t rank) {
    for (Inspected& inspected : open_)
      for (std::size_t i = 0; i < inspected.count; ++i)
        if (inspected.ranks[i] == rank) inspected.used |= std::uint64_t{1} << i;
  }
  /// Calls `settle` for the inspections that are over, and forgets them: those in more than `depth` open
  /// phases, and those of `inspector`.
  template <class Settle>
  void end(std::size_t depth, const void* inspector, Settle&& settle) {
    std::erase_if(open_, [&](const Inspected& inspected) {
      const bool over = inspected.depth > depth || inspected.inspector == inspector;
      if (over) settle(inspected);
      return over;
    });
  }

 private:
  std::vector<Inspected> open_;
};

/// Those of the calling thread; nullptr before its first inspection.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local InspectedSends* inspected_sends = nullptr;

}  // namespace hybrid::shim
