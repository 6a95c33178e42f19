// Whether the ranks that inspectors report are sent to: the precision of speculative hints on this thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hybrid::shim {

class CompiledPhase;

/// The inspections of the phases that a thread is in.
class InspectedSends {
 public:
  struct Inspected {
    CompiledPhase* phase;
    const void* inspector;
    std::size_t depth;       // number of open phases
    std::vector<int> ranks;  // reported, the first kMost
    std::uint64_t used = 0;  // bit i: ranks[i] was sent to

    std::uint64_t used_ranks() const { return static_cast<std::uint64_t>(std::popcount(used)); }
  };

  void begin(CompiledPhase& phase, const void* inspector, std::size_t depth, std::span<const int> ranks) {
    ranks = ranks.first(std::min(ranks.size(), kMost));
    if (!ranks.empty()) open_.push_back({&phase, inspector, depth, {ranks.begin(), ranks.end()}});
  }
  void note_send(std::int32_t rank) {
    for (Inspected& inspected : open_)
      for (std::size_t i = 0; i < inspected.ranks.size(); ++i)
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
  static constexpr std::size_t kMost = 64;
  std::vector<Inspected> open_;
};

/// Those of the calling thread; nullptr before its first inspection.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local InspectedSends* inspected_sends = nullptr;

}  // namespace hybrid::shim
