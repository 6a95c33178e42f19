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

/// Returns the readable segments of all loaded objects, as [begin, end).
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> readable_memory() {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& segments = *static_cast<decltype(found)*>(data);
        for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
          const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
          segments.emplace_back(begin, begin + segment.p_memsz);
        }
        return 0;
      },
      &found);
  return found;
}

/// Reads the program's variables for the evaluation, and keeps a list of what it read.
class OwnVariables final : public HintValues {
 public:
  OwnVariables(const LoadedHintUnit& loaded, std::uint32_t rank) : loaded_(loaded), rank_(rank) {}

  void begin() {
    readable_ = readable_memory();
    reads_.clear();
  }
  std::vector<InputRead> take() { return std::move(reads_); }

  std::optional<std::int64_t> load(std::uint32_t rank, std::uint32_t address, std::int64_t offset,
                                   std::int32_t width, std::string_view) override {
    if (rank != rank_) return std::nullopt;
    const void* const variable = hint_address(loaded_, address);
    if (variable == nullptr) return std::nullopt;
    const std::uintptr_t at =
        reinterpret_cast<std::uintptr_t>(variable) + static_cast<std::uintptr_t>(offset);
    const std::uintptr_t end = at + static_cast<std::uintptr_t>(width < 0 ? -width : width);
    const bool is_readable = end > at && std::any_of(readable_.begin(), readable_.end(), [&](const auto& s) {
                               return at >= s.first && end <= s.second;
                             });
    if (!is_readable) return std::nullopt;
    const auto* const place = reinterpret_cast<const void*>(at);
    const std::int64_t value = read_input(place, width);
    reads_.push_back({place, width, value});
    return value;
  }
  std::optional<std::int64_t> input(std::uint32_t, std::string_view) override { return std::nullopt; }

 private:
  const LoadedHintUnit& loaded_;
  const std::uint32_t rank_;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> readable_;
  std::vector<InputRead> reads_;
};

template <class T>
std::int64_t read_as(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::int64_t read_input(const void* at, std::int32_t width) {
  switch (width) {
    case 1:
      return read_as<std::uint8_t>(at);
    case -1:
      return read_as<std::int8_t>(at);
    case 2:
      return read_as<std::uint16_t>(at);
    case -2:
      return read_as<std::int16_t>(at);
    case 4:
      return read_as<std::uint32_t>(at);
    case -4:
      return read_as<std::int32_t>(at);
    default:
      return read_as<std::int64_t>(at);
  }
}

/// A unit and its evaluator, which is created at its first use.
class CompiledUnit {
 public:
  explicit CompiledUnit(LoadedHintUnit loaded) : loaded_(std::move(loaded)) {
    for (const hybrid_phase& p : loaded_.unit.phases) {
      own_.push_back(std::make_unique<CompiledPhase>());
      own_.back()->name = loaded_.unit.text(p.name);
      own_.back()->flags = p.flags;
      phases_.push_back((p.flags & HYBRID_PHASE_MERGED) != 0 ? nullptr : own_.back().get());
    }
  }
  /// A unit without a note: its marks begin `phases`.
  CompiledUnit(const hybrid_unit* at, std::uint64_t id, std::vector<CompiledPhase*> phases)
      : phases_(std::move(phases)) {
    loaded_.at = at;
    loaded_.unit.id = id;
  }

  std::uint64_t id() const { return loaded_.unit.id; }
  std::span<CompiledPhase* const> phases() const { return phases_; }
  const LoadedHintUnit& loaded() const { return loaded_; }

  std::vector<int> destinations(std::uint32_t phase, bool holds, std::uint32_t rank, std::uint32_t ranks,
                                std::vector<InputRead>& inputs) {
    if (!tools_) tools_.emplace(loaded_, rank, ranks);
    tools_->variables.begin();
    tools_->evaluator.forget();
    const HintDestinations found = tools_->finder.phase(phase, rank, holds);
    inputs = tools_->variables.take();
    return {found.ranks.begin(), found.ranks.end()};
  }

 private:
  struct Tools {
    Tools(const LoadedHintUnit& loaded, std::uint32_t rank, std::uint32_t ranks)
        : variables(loaded, rank), evaluator(loaded.unit, ranks, variables), finder(evaluator) {}
    OwnVariables variables;
    HintEvaluator evaluator;
    HintConnectionFinder finder;
  };
  LoadedHintUnit loaded_{};
  std::vector<std::unique_ptr<CompiledPhase>> own_;
  std::vector<CompiledPhase*> phases_;  // nullptr: merged into another phase, or not in the program's note
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

std::unique_ptr<CompiledUnit> CompiledHints::make_substitute(const hybrid_unit* unit,
                                                             std::uint64_t id) const {
  std::vector<CompiledPhase*> phases;
  Dl_info here{};
  const bool is_found = dladdr(unit, &here) != 0;
  for (const auto& [at, whole] : units_) {
    Dl_info there{};
    if (!is_found || (whole->loaded().unit.flags & HYBRID_UNIT_WHOLE) == 0 || dladdr(at, &there) == 0 ||
        here.dli_fbase != there.dli_fbase)
      continue;
    const std::vector<hybrid_phase>& all = whole->loaded().unit.phases;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const hybrid_phase& p = all[i];
      // The origin's number may be anything; the unit's own count bounds it.
      if (p.origin_phase >= unit->phase_count || p.origin_low != unit->id_low ||
          p.origin_high != unit->id_high)
        continue;
      if (phases.empty()) phases.resize(unit->phase_count);
      phases[p.origin_phase] = whole->phases()[i];
    }
  }
  return std::make_unique<CompiledUnit>(unit, id, std::move(phases));
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
      std::unique_ptr<CompiledUnit> made = make_substitute(unit, id);
      std::unique_ptr<CompiledUnit>& place = units_[unit];
      if (place != nullptr) replaced_.push_back(std::move(place));
      place = std::move(made);
      found = units_.find(unit);
    }
  }
  const Phases phases = found->second->phases();
  recent_[slot_of(unit)] = {unit, unit->id_low, unit->id_high, phases};
  return phase < phases.size() ? phases[phase] : nullptr;
}

bool CompiledHints::is_current(const Evaluation& evaluation, std::int64_t holds) {
  return (evaluation.holds != 0) == (holds != 0) &&
         std::all_of(evaluation.inputs.begin(), evaluation.inputs.end(),
                     [](const InputRead& i) { return read_input(i.at, i.width) == i.value; });
}

CompiledHints::Evaluation CompiledHints::evaluate(CompiledPhase& phase, std::int64_t holds) {
  evaluations_.fetch_add(1, std::memory_order_relaxed);
  std::vector<InputRead> inputs;
  std::vector<int> destinations = phase.unit_->destinations(phase.index_, holds != 0, rank_, ranks_, inputs);
  // Several expressions may read the same input.
  const auto less = [](const InputRead& a, const InputRead& b) {
    return std::less<>()(a.at, b.at) || (a.at == b.at && a.width < b.width);
  };
  std::sort(inputs.begin(), inputs.end(), less);
  inputs.erase(std::unique(inputs.begin(), inputs.end(),
                           [&](const InputRead& a, const InputRead& b) { return !less(a, b); }),
               inputs.end());
  // The same ranks need not be preloaded again.
  std::uint64_t preloaded_in = 0;
  for (const Evaluation& other : phase.evaluations_)
    if (other.destinations == destinations) preloaded_in = std::max(preloaded_in, other.preloaded_in);
  return {++phase.made_, holds, preloaded_in, std::move(inputs), std::move(destinations)};
}

CompiledHints::Evaluation& CompiledHints::evaluation(CompiledPhase& phase, std::int64_t holds) {
  std::vector<Evaluation>& all = phase.evaluations_;
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const Evaluation& evaluation) { return is_current(evaluation, holds); });
  if (found == all.begin() && found != all.end()) [[likely]]
    return *found;
  if (found == all.end()) {
    Evaluation made = evaluate(phase, holds);
    if (all.size() == CompiledPhase::kKept) all.pop_back();
    found = all.insert(all.end(), std::move(made));
  }
  std::rotate(all.begin(), found, found + 1);
  return all.front();
}

CompiledHints::Begin CompiledHints::begin(CompiledPhase& phase, std::int64_t holds) {
  const Lock lock(*this);
  Evaluation& now = evaluation(phase, holds);
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
  if (before && !inspected.is_wanted()) ++inspections_.dropped;
}

CompiledHints::Inspections CompiledHints::inspections() {
  const Lock lock(*this);
  return inspections_;
}

CompiledHints::Begin CompiledHints::inspected(CompiledPhase& phase, const void* inspector,
                                              std::span<const int> ranks, bool ended_early) {
  const Lock lock(*this);
  ++inspections_.made;
  inspections_.ended_early += ended_early;
  Begin begin;
  CompiledPhase::Inspected& last = phase.of(inspector);
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
