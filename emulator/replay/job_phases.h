// Phases of a replayed job: which one each location is in, what is preloaded for it, what the predictors are
// notified of, and the measures of each phase.
//
// The measured phases are those of the options' schedule, or else those that the job hints.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/time.h"
#include "emulator/measures.h"
#include "emulator/network/technique.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_location.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/replay.h"
#include "emulator/tdm/working_set_store.h"

namespace hybrid {

class JobPhases {
 public:
  /// `placement`: port of each rank. The references must outlive the object.
  JobPhases(const JobTrace& trace, const ReplayOptions& options, Technique& technique,
            const std::vector<std::uint32_t>& placement, const JobEvents& events);

  /// Loads the configurations that stay in the slots whatever the phase.
  void preload_fixed();
  /// A location begins an operation: it may be in another phase of the schedule.
  void follow_schedule(LocationHandle handle, const JobLocation& location) {
    if (has_schedule()) enter_scheduled(handle, location);
  }
  void begin(LocationHandle handle, const JobLocation& location);
  /// Ends the innermost hinted phase; no effect outside all phases.
  void end(LocationHandle handle, const JobLocation& location);
  /// The location has finished, and with it all its phases.
  void finish(LocationHandle handle, const JobLocation& location);
  /// The program's flush hint: the slots are empty at the location's port.
  void flush(const JobLocation& location);

  /// Number of the measured phase that a location is in, for account().
  std::uint32_t measured_phase(LocationHandle handle) const { return locations_[handle.index].measured; }
  PhaseAccount& account() { return account_; }
  /// Sets the phases' measures. `end`: of the job.
  void report(Measures& measures, Time end) const;

 private:
  struct Location {
    std::vector<std::uint32_t> open;         // hinted phases, innermost last
    std::vector<std::uint64_t> occurrences;  // begun so far, by hinted phase
    std::uint32_t measured = 0;
    Time measured_since{};
    std::size_t scheduled = 0;  // occurrence of the schedule
  };
  struct Hinted {
    std::string name;
    std::uint64_t occurrences = 0;  // begun by some location
  };

  bool has_schedule() const { return !options_.phases.occurrences.empty(); }
  void enter_scheduled(LocationHandle handle, const JobLocation& location);
  void set_measured(Location& phases, const JobLocation& location, std::uint32_t phase);
  void enter(Location& phases, const JobLocation& location, std::uint32_t hinted);
  void notify_predictor(const JobLocation& location, std::uint32_t phase);

  const JobTrace& trace_;
  const ReplayOptions& options_;
  Technique& technique_;
  const std::vector<std::uint32_t>& placement_;
  const JobEvents& events_;
  std::vector<Location> locations_;
  std::vector<Hinted> hinted_;
  std::unordered_map<std::string, std::uint32_t> hinted_by_name_;
  WorkingSetStore working_sets_;  // of the phases with a preload
  PhaseAccount account_;          // the schedule's phases; else what is outside phases, then hinted_
};

}  // namespace hybrid
