#include "libhybrid/shim/compiled_hints.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "core/hints/connections.h"
#include "core/hints/evaluation.h"
#include "core/hints/notes.h"

namespace hybrid::shim {
namespace {

/// The values that a mark passed.
class PassedValues final : public HintValues {
 public:
  explicit PassedValues(std::uint32_t rank) : rank_(rank) {}

  void set(std::span<const std::int64_t> values) { values_ = values; }
  std::optional<std::int64_t> argument(std::uint32_t rank, std::uint32_t number, std::string_view) override {
    if (rank != rank_ || number >= values_.size()) return std::nullopt;
    return values_[number];
  }
  std::optional<std::int64_t> input(std::uint32_t, std::string_view) override { return std::nullopt; }

 private:
  const std::uint32_t rank_;
  std::span<const std::int64_t> values_;
};

}  // namespace

/// A unit and its evaluator, which is created at its first use.
class CompiledUnit {
 public:
  explicit CompiledUnit(LoadedHintUnit loaded) : loaded_(std::move(loaded)) {
    for (const hybrid_phase& p : loaded_.unit.phases) {
      own_.push_back(std::make_unique<CompiledPhase>());
      own_.back()->name = loaded_.unit.text(p.name);
      own_.back()->flags = p.flags;
      own_.back()->value_count = p.value_count;
      phases_.push_back((p.flags & HYBRID_PHASE_MERGED) != 0 ? nullptr : own_.back().get());
    }
  }
  /// A unit without a usable note: it has no phases.
  CompiledUnit(const hybrid_unit* at, std::uint64_t id) {
    loaded_.at = at;
    loaded_.unit.id = id;
  }

  std::uint64_t id() const { return loaded_.unit.id; }
  std::span<CompiledPhase* const> phases() const { return phases_; }
  const LoadedHintUnit& loaded() const { return loaded_; }

  std::vector<int> destinations(std::uint32_t phase, bool holds, std::uint32_t rank, std::uint32_t ranks,
                                std::span<const std::int64_t> values) {
    if (!tools_) tools_.emplace(loaded_, rank, ranks);
    tools_->values.set(values);
    tools_->evaluator.forget();
    const HintDestinations found = tools_->finder.phase(phase, rank, holds);
    tools_->values.set({});
    return {found.ranks.begin(), found.ranks.end()};
  }

 private:
  struct Tools {
    Tools(const LoadedHintUnit& loaded, std::uint32_t rank, std::uint32_t ranks)
        : values(rank), evaluator(loaded.unit, ranks, values), finder(evaluator) {}
    PassedValues values;
    HintEvaluator evaluator;
    HintConnectionFinder finder;
  };
  LoadedHintUnit loaded_{};
  std::vector<std::unique_ptr<CompiledPhase>> own_;
  std::vector<CompiledPhase*> phases_;  // nullptr: merged into another phase
  std::optional<Tools> tools_;
};

constinit thread_local std::array<CompiledHints::Known, CompiledHints::kRecent> CompiledHints::recent_{};

class CompiledHints::Lock {
 public:
  explicit Lock(CompiledHints& hints) : hints_(hints) {
    while (hints_.busy_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { hints_.busy_.store(false, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  CompiledHints& hints_;
};

CompiledHints::CompiledHints() { recent_ = {}; }  // entries of an earlier instance
CompiledHints::~CompiledHints() = default;

void CompiledHints::start(std::uint32_t rank, std::uint32_t ranks) {
  rank_ = rank;
  ranks_ = ranks;
}

std::vector<std::string> CompiledHints::load() {
  const Lock lock(*this);
  std::vector<std::string> messages;
  load_all(messages);
  return messages;
}

void CompiledHints::load_all(std::vector<std::string>& messages) {
  struct Found {
    std::vector<LoadedHintUnit> units;
    std::vector<std::string> refused;
    std::exception_ptr failure;
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        Found& all = *static_cast<Found*>(data);
        const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
        try {
          for (LoadedHintUnit& loaded :
               loaded_hint_units(*object, is_program ? "the program" : object->dlpi_name, all.refused))
            all.units.push_back(std::move(loaded));
        } catch (...) {
          all.failure = std::current_exception();  // must not unwind the dynamic linker's frames
          return 1;
        }
        return 0;
      },
      &found);
  if (found.failure) std::rethrow_exception(found.failure);
  for (LoadedHintUnit& loaded : found.units) {
    std::unique_ptr<CompiledUnit>& unit = units_[loaded.at];
    if (unit != nullptr && unit->id() == loaded.unit.id) continue;
    if (unit != nullptr) replaced_.push_back(std::move(unit));
    unit = std::make_unique<CompiledUnit>(std::move(loaded));
    for (std::uint32_t i = 0; i < unit->phases().size(); ++i) {
      if (unit->phases()[i] == nullptr) continue;
      unit->phases()[i]->unit_ = unit.get();
      unit->phases()[i]->index_ = i;
    }
  }
  for (const std::string& text : found.refused)
    if (reported_.insert(text).second) messages.push_back(text);
}

CompiledPhase* CompiledHints::find_or_load(const hybrid_unit* unit, std::uint32_t phase,
                                           std::vector<std::string>& messages) {
  const std::uint64_t id = std::uint64_t{unit->id_high} << 32 | unit->id_low;
  const Lock lock(*this);
  auto found = units_.find(unit);
  if (found == units_.end() || found->second->id() != id) {
    load_all(messages);
    found = units_.find(unit);
    if (found == units_.end() || found->second->id() != id) {
      std::unique_ptr<CompiledUnit>& place = units_[unit];
      if (place != nullptr) replaced_.push_back(std::move(place));
      place = std::make_unique<CompiledUnit>(unit, id);
      found = units_.find(unit);
    }
  }
  const Phases phases = found->second->phases();
  recent_[slot_of(unit)] = {unit, unit->id_low, unit->id_high, phases};
  return phase < phases.size() ? phases[phase] : nullptr;
}

CompiledHints::Evaluation CompiledHints::evaluate(CompiledPhase& phase, std::int64_t holds, Values values) {
  evaluations_.fetch_add(1, std::memory_order_relaxed);
  std::vector<int> destinations = phase.unit_->destinations(phase.index_, holds != 0, rank_, ranks_, values);
  // The same ranks need not be preloaded again.
  std::uint64_t preloaded_in = 0;
  for (const Evaluation& other : phase.evaluations_)
    if (other.destinations == destinations) preloaded_in = std::max(preloaded_in, other.preloaded_in);
  return {++phase.made_, holds, preloaded_in, {values.begin(), values.end()}, std::move(destinations)};
}

CompiledHints::Evaluation& CompiledHints::evaluation(CompiledPhase& phase, std::int64_t holds,
                                                     Values values) {
  std::vector<Evaluation>& all = phase.evaluations_;
  auto found = std::find_if(all.begin(), all.end(), [&](const Evaluation& one) {
    return (one.holds != 0) == (holds != 0) && std::ranges::equal(one.values, values);
  });
  if (found == all.begin() && found != all.end()) [[likely]]
    return *found;
  if (found == all.end()) {
    Evaluation made = evaluate(phase, holds, values);
    if (all.size() == CompiledPhase::kKept) all.pop_back();
    found = all.insert(all.end(), std::move(made));
  }
  std::rotate(all.begin(), found, found + 1);
  return all.front();
}

CompiledHints::Begin CompiledHints::begin(CompiledPhase& phase, std::int64_t holds,
                                          const std::int64_t* values) {
  const Lock lock(*this);
  Evaluation& now =
      evaluation(phase, holds, values != nullptr ? Values(values, phase.value_count) : Values());
  const bool again = std::exchange(last_, &phase) == &phase;
  const std::uint64_t working_set = working_set_.load(std::memory_order_relaxed);
  const bool is_preloaded = now.preloaded_in == working_set;
  Begin begin;
  if (phase.recorded_ != now.number) {
    phase.recorded_ = now.number;
    if (phase.recorded_ranks_ != now.destinations) begin.record = phase.recorded_ranks_ = now.destinations;
  }
  begin.flush = (phase.flags & HYBRID_PHASE_FLUSH) != 0 && !(again && is_preloaded);
  if (begin.flush) flushed();
  if (is_preloaded && !begin.flush) return begin;
  now.preloaded_in = working_set + (begin.flush ? 1 : 0);
  begin.preload = now.destinations;
  return begin;
}

CompiledPhase::Inspected& CompiledPhase::of(const void* inspector) {
  const auto known = std::find_if(inspected_.begin(), inspected_.end(),
                                  [&](const Inspected& one) { return one.inspector == inspector; });
  return known != inspected_.end() ? *known : inspected_.emplace_back(Inspected{inspector, {}});
}

bool CompiledHints::wants(CompiledPhase& phase, const void* inspector) {
  if (!phase.any_dropped_.load(std::memory_order_relaxed)) [[likely]]
    return true;
  const Lock lock(*this);
  return phase.of(inspector).is_wanted();
}

void CompiledHints::settle(CompiledPhase& phase, const void* inspector, std::uint64_t reported,
                           std::uint64_t used) {
  const Lock lock(*this);
  CompiledPhase::Inspected& inspected = phase.of(inspector);
  const bool before = inspected.is_wanted();
  inspected.reported += reported;
  inspected.used += used;
  inspections_.reported += reported;
  inspections_.used += used;
  if (before && !inspected.is_wanted()) drop(phase);
}

void CompiledHints::drop(CompiledPhase& phase) {
  ++inspections_.dropped;
  phase.any_dropped_.store(true, std::memory_order_relaxed);
}

CompiledHints::Inspections CompiledHints::inspections() {
  const Lock lock(*this);
  return inspections_;
}

CompiledHints::Begin CompiledHints::inspected(CompiledPhase& phase, const void* inspector,
                                              std::span<const int> ranks, const Inspection& inspection) {
  const Lock lock(*this);
  ++inspections_.made;
  inspections_.ended_early += inspection.ended_early();
  Begin begin;
  CompiledPhase::Inspected& last = phase.of(inspector);
  const bool in_vain = inspection.reached_limit() || (inspection.ended_early() && ranks.empty());
  last.in_vain = in_vain ? last.in_vain + 1 : 0;
  if (last.in_vain == CompiledPhase::kMostInVain) drop(phase);
  if (!std::equal(ranks.begin(), ranks.end(), last.ranks.begin(), last.ranks.end())) {
    last.ranks.assign(ranks.begin(), ranks.end());
    begin.record = last.ranks;
  }
  const std::uint64_t working_set = working_set_.load(std::memory_order_relaxed);
  if (std::exchange(phase.preloaded_inspected_in_, working_set) != working_set)
    phase.preloaded_inspected_.clear();
  for (const int rank : ranks) {
    std::vector<int>& known = phase.preloaded_inspected_;
    if (std::find(known.begin(), known.end(), rank) != known.end()) continue;
    known.push_back(rank);
    begin.preload.push_back(rank);
  }
  return begin;
}

}  // namespace hybrid::shim
