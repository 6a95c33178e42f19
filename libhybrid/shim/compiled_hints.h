// The compiler's hints (core/hint_abi.h) of the running program: the phases that its marks name, and the
// ranks that this one sends to in them. Knows no MPI.
//
// - A unit is read at its first mark, or by load() with all loaded objects. Its address and its id identify
//   it: a library may be closed, and another one may be loaded at the same address.
// - A phase is evaluated when it first begins, for this rank only, and again only when the values that the
//   mark of a directive passes have changed. The last few evaluations of a phase are kept: values may return.
// - A unit that is damaged or has another version has no phases.
//
// Thread-safe; threads wait for each other, which takes long only during an evaluation.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/hint_abi.h"
#include "libhybrid/shim/inspection.h"

namespace hybrid::shim {

class CompiledUnit;

/// A phase of a unit, with its latest evaluations.
class CompiledPhase {
 public:
  std::string name;
  std::uint32_t flags = 0;      // enum hybrid_phase_flag
  std::size_t value_count = 0;  // of values that its marks pass
  /// Number of the name in the recording, set once by phases.cpp.
  std::atomic<std::uint32_t> region{~std::uint32_t{0}};

 private:
  friend class CompiledHints;
  struct Evaluation {
    std::uint64_t number;
    std::int64_t holds;                // value of the phase's condition
    std::uint64_t preloaded_in;        // number of the latest working set that its ranks were added to
    std::vector<std::int64_t> values;  // that the mark passed
    std::vector<int> destinations;
  };
  static constexpr std::size_t kKept = 16;
  CompiledUnit* unit_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<Evaluation> evaluations_;  // the most recently used first
  std::uint64_t made_ = 0;
  std::uint64_t recorded_ = 0;  // number of the evaluation that was recorded last
  std::vector<int> recorded_ranks_;
  static constexpr unsigned kMostInVain = 3;
  struct Inspected {
    const void* inspector;
    std::vector<int> ranks;  // of its last inspection
    std::uint64_t reported = 0, used = 0;
    unsigned in_vain = 0;  // number of inspections in vain in a row
    bool is_wanted() const { return 2 * used >= reported && in_vain < kMostInVain; }
  };
  Inspected& of(const void* inspector);
  std::vector<Inspected> inspected_;
  std::atomic<bool> any_dropped_{false};      // one of them
  std::vector<int> preloaded_inspected_;      // ranks of inspections since the last flush
  std::uint64_t preloaded_inspected_in_ = 0;  // number of that working set
};

/// The compiler's hints of all loaded objects. The contract is at the top of this file.
class CompiledHints {
 public:
  CompiledHints();
  ~CompiledHints();

  /// Sets the job that phases are evaluated for.
  void start(std::uint32_t rank, std::uint32_t ranks);

  /// Reads the units of all loaded objects. Returns a message for each unusable unit, only once.
  std::vector<std::string> load();

  /// Returns the phase that a mark names; nullptr if there is none. Loads units if necessary; messages about
  /// unusable ones are appended to `messages`.
  CompiledPhase* find(const hybrid_unit* unit, std::uint32_t phase, std::vector<std::string>& messages) {
    if (unit == nullptr) return nullptr;
    const Known& known = recent_[slot_of(unit)];
    if (known.at != unit || known.low != unit->id_low || known.high != unit->id_high) [[unlikely]]
      return find_or_load(unit, phase, messages);
    return phase < known.phases.size() ? known.phases[phase] : nullptr;
  }

  /// Actions at the begin of a phase.
  struct Begin {
    bool flush = false;        // release the previous working set, first
    std::vector<int> preload;  // world ranks
    std::vector<int> record;   // world ranks that are not recorded yet
  };
  /// Begins `phase`. `holds`: value of its condition; `values`: those of its directive's clauses, or null if
  /// they are unknown. There is nothing to preload when its ranks were preloaded since the last flush and no
  /// value has changed; nothing to record when its ranks are the same as the last time.
  Begin begin(CompiledPhase& phase, std::int64_t holds, const std::int64_t* values);
  /// Adds the ranks that `inspector`, of this procedure or a loop of it, reported. What is to be preloaded
  /// and recorded is as for begin().
  Begin inspected(CompiledPhase& phase, const void* inspector, std::span<const int> ranks,
                  const Inspection& inspection);
  /// Whether to run `inspector`: not once most of the ranks that it reported were not sent to, or three
  /// inspections in a row were in vain: they ended early and reported nothing, or reached a limit.
  bool wants(CompiledPhase& phase, const void* inspector);
  /// An inspection by `inspector` is over: of `reported` ranks, so many were `used`.
  void settle(CompiledPhase& phase, const void* inspector, std::uint64_t reported, std::uint64_t used);

  /// Counts of inspections.
  struct Inspections {
    std::uint64_t made = 0;
    std::uint64_t ended_early = 0;
    std::uint64_t reported = 0, used = 0;  // ranks that were speculative; of those, ranks that were sent to
    std::uint64_t dropped = 0;             // inspectors
  };
  Inspections inspections();
  /// Handles the end of the working set, caused by a hint or by the program.
  void flushed() { working_set_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t evaluations() const { return evaluations_.load(std::memory_order_relaxed); }

 private:
  using Phases = std::span<CompiledPhase* const>;
  struct Known {
    const hybrid_unit* at = nullptr;
    std::uint32_t low = 0, high = 0;
    Phases phases;
  };
  static constexpr std::size_t kRecent = 16;
  static std::size_t slot_of(const hybrid_unit* unit) {
    return (reinterpret_cast<std::uintptr_t>(unit) >> 2) * 0x9E3779B97F4A7C15ULL >> 60;
  }
  // Cache of the thread.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::array<Known, kRecent> recent_;

  class Lock;
  CompiledPhase* find_or_load(const hybrid_unit* unit, std::uint32_t phase,
                              std::vector<std::string>& messages);
  void load_all(std::vector<std::string>& messages);
  void drop(CompiledPhase& phase);  // one of its inspectors
  using Evaluation = CompiledPhase::Evaluation;
  using Values = std::span<const std::int64_t>;
  /// Returns the current evaluation of the phase: a kept one, or a new one.
  Evaluation& evaluation(CompiledPhase& phase, std::int64_t holds, Values values);
  Evaluation evaluate(CompiledPhase& phase, std::int64_t holds, Values values);

  std::uint32_t rank_ = 0, ranks_ = 1;
  std::atomic<bool> busy_{false};
  std::atomic<std::uint64_t> working_set_{1};
  std::atomic<std::uint64_t> evaluations_{0};
  Inspections inspections_;
  const CompiledPhase* last_ = nullptr;  // the phase that began last
  std::map<const hybrid_unit*, std::unique_ptr<CompiledUnit>> units_;
  std::vector<std::unique_ptr<CompiledUnit>> replaced_;  // threads may still use their phases
  std::set<std::string> reported_;
};

}  // namespace hybrid::shim
