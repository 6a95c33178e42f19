// The compiler's hints (core/hint_abi.h) of the running program: which phases its marks name, and which ranks
// this one sends to in them. Knows no MPI.
//
// - A unit is read when a mark of it comes for the first time, or with all that is loaded (load). It is known
//   by its place in memory and its number: a library may be closed, and another one come to the same place.
// - A phase is evaluated when it first begins, for this rank alone; what was read of the program's variables
//   is kept, and it is evaluated again only when one of these has changed. What is static is evaluated once.
//   The last few evaluations of a phase are kept: its variables may come back to what they were, as those do
//   that tell which call is under way.
// - Where a note of the whole program stands for its units, their marks begin its phases.
// - A unit that is damaged or of another version has no phases.
//
// Any number of threads; one that finds another inside waits, which only evaluations make long.
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

namespace hybrid::shim {

class CompiledUnit;

/// A value of the program's as it was when it was read.
struct InputRead {
  const void* at;
  std::int32_t width;  // as in the ABI: negative for signed
  std::int64_t value;
};

/// Reads 1, 2, 4 or 8 bytes at any address, extended by sign for widths below zero.
std::int64_t read_input(const void* at, std::int32_t width);

class CompiledPhase {
 public:
  std::string name;
  std::uint32_t flags = 0;  // enum hybrid_phase_flag
  /// For whoever asks with marks: the number of the name in the recording, set once.
  std::atomic<std::uint32_t> region{~std::uint32_t{0}};

 private:
  friend class CompiledHints;
  struct Evaluation {
    std::uint64_t number;
    std::int64_t holds;     // the condition, when it was made
    std::uint64_t told_in;  // the working set (since a flush) to which its ranks were added
    std::vector<InputRead> inputs;
    std::vector<int> destinations;
  };
  static constexpr std::size_t kKept = 16;
  CompiledUnit* unit_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<Evaluation> evaluations_;  // the last that was of use first
  std::uint64_t made_ = 0;
  std::uint64_t recorded_ = 0;  // the number of one with the ranks that the recording has
  std::vector<int> recorded_ranks_;
};

class CompiledHints {
 public:
  CompiledHints();
  ~CompiledHints();

  /// The job that phases are evaluated for.
  void start(std::uint32_t rank, std::uint32_t ranks);

  /// Reads the units of all that is loaded. What cannot be used is told once: a message each.
  std::vector<std::string> load();

  /// The phase that a mark names; null if there is none. Messages of what had to be loaded, and could not be
  /// used, go to `told`.
  CompiledPhase* find(const hybrid_unit* unit, std::uint32_t phase, std::vector<std::string>& told) {
    if (unit == nullptr) return nullptr;
    const Known& known = recent_[slot_of(unit)];
    if (known.at != unit || known.low != unit->id_low || known.high != unit->id_high) [[unlikely]]
      return find_anew(unit, phase, told);
    return phase < known.phases.size() ? known.phases[phase] : nullptr;
  }

  /// What begins with a phase.
  struct Begin {
    bool flush = false;        // what was held for the phase before is given up, first
    std::vector<int> preload;  // world ranks
    std::vector<int> record;   // world ranks that the recording does not have yet
  };
  /// `phase` begins: nothing to preload where its ranks have been told since the last flush and none of its
  /// inputs has changed; nothing to record where they are the same as the last time. `holds`: its condition.
  Begin begin(CompiledPhase& phase, std::int64_t holds);
  /// The working set ended, by whoever's order.
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
  // Of this thread: no other one writes it.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::array<Known, kRecent> recent_;

  class Inside;
  CompiledPhase* find_anew(const hybrid_unit* unit, std::uint32_t phase, std::vector<std::string>& told);
  void load_all(std::vector<std::string>& told);
  /// What marks name by a unit that is not among the loaded ones: phases of its whole program's note, or
  /// none.
  std::unique_ptr<CompiledUnit> stand_in(const hybrid_unit* unit, std::uint64_t id) const;
  using Evaluation = CompiledPhase::Evaluation;
  static bool is_still_so(const Evaluation& evaluation, std::int64_t holds);
  /// What the phase comes to now: made before, or anew.
  Evaluation& evaluation(CompiledPhase& phase, std::int64_t holds);
  Evaluation evaluate(CompiledPhase& phase, std::int64_t holds);

  std::uint32_t rank_ = 0, ranks_ = 1;
  std::atomic<bool> busy_{false};
  std::atomic<std::uint64_t> working_set_{1};
  std::atomic<std::uint64_t> evaluations_{0};
  const CompiledPhase* last_ = nullptr;  // that began
  std::map<const hybrid_unit*, std::unique_ptr<CompiledUnit>> units_;
  std::vector<std::unique_ptr<CompiledUnit>> gone_;  // threads may still hold their phases
  std::set<std::string> told_;
};

}  // namespace hybrid::shim
