// Replay of a recorded job on an emulated switch, with its dependencies: a receive completes when the
// emulated network delivers its message, compute times are kept, wildcards have their recorded match,
// collectives are the messages of the algorithms that MPICH selects (emulator/replay/collective.h).
//
//   const auto trace = open_trace("traces.otf2");
//   const ReplayResult result = replay(*trace, parameters, ReplayOptions{});
//   print(result.measures.time);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/error.h"
#include "emulator/measures.h"
#include "emulator/parameters.h"
#include "emulator/replay/operation.h"
#include "predictor/named_phases.h"
#include "predictor/phases.h"

namespace hybrid {

class PortTimeline;  // emulator/network/timeline.h

/// Content of the preloaded slots during hinted phases, by the phase's name: one configuration for each of
/// the slots 0, 1, ... (emulator/replay/phase_preload.h).
using PhasePreloads = std::map<std::string, std::vector<Configuration>>;

/// Phases of a job without hints in recorded time, as found from its sends.
struct PhaseSchedule {
  std::vector<std::string> names;
  std::vector<PhaseOccurrence> occurrences;  // in order of time; the first one's phase is that of all before
};

/// Name of the phase of a job with hints outside its hinted phases.
inline constexpr std::string_view kOutsidePhases = "outside phases";

struct ReplayOptions {
  /// Port of each rank; empty: the trace's placement, or port r for rank r.
  std::vector<std::uint32_t> placement;
  /// Number of ports of a crossbar; 0: as many as the placement uses.
  std::uint32_t crossbar = 0;
  /// Latency and rate of messages between ranks of one port (shared memory).
  Time local_latency = nanoseconds(200);
  BitRate local_rate = 80'000'000'000;
  /// Algorithm by collective ("allreduce" -> "ring"); for all others MPICH's choice by size.
  std::map<std::string, std::string> algorithms;
  /// Empty: nothing is preloaded. A phase's slots are loaded when the first rank reaches an occurrence of the
  /// phase, unless they hold it already. A return from an inner phase is an occurrence of the outer one, too.
  PhasePreloads preloads;
  /// A fixed topology (emulator/traffic/topology_map.h), by slot: loaded at the start, and again after each
  /// flush. Requires: no `preloads`.
  std::vector<Configuration> fixed_preload;
  /// Phases of the measures; empty: those that the job hints.
  PhaseSchedule phases;
  /// Predictors are notified of the phases that the job hints.
  bool notify_predictors = true;
  /// The fabric performs the broadcasts and barriers of intra-communicators
  /// (emulator/network/collective_plane.h); `algorithms` does not apply to them.
  bool hardware_multicast = false;
  /// Records what the ports do, but not the fabric's broadcasts and barriers; nullptr: none.
  PortTimeline* timeline = nullptr;
  /// The replay is not finished (UnfinishedReplay, of the technique) if the job takes longer: for searches,
  /// in which slow networks need not be emulated to the end.
  Time limit = Time::never();
  /// Called often with the number of operations done. May be empty. An exception ends the replay.
  std::function<void(std::uint64_t)> progress;
};

/// A message belongs to the innermost phase in which the operation that sends it began. A location is in a
/// phase from its first operation there to its first operation in another phase; in its last phase, to the
/// end of the job. Times of phases are means over the locations.
struct ReplayResult {
  Measures measures;
  /// How long a rank waits in each call, for the network and for other ranks: means over the ranks. Empty if
  /// the trace has no call sites.
  std::map<SourceCall, Time> call_waits;
  std::vector<std::string> warnings;  // parts of an incomplete trace that were not replayed, one line each
};

/// A replay that did not reach the end of the job, as opposed to input that is refused before the replay.
class UnfinishedReplay : public UserError {
 public:
  enum class Fault {
    trace,     // its operations do not fit together: no technique completes them
    technique  // another technique, or other parameters, may complete it
  };
  UnfinishedReplay(Fault fault, const std::string& problem, const std::string& fix = {})
      : UserError(problem, fix), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

/// Throws UserError for a local latency or rate out of range.
void check(const ReplayOptions& options);

/// Replays the job to its end. The switch has the nodes of the tree, or those of the options' crossbar; by
/// default the ports that the placement uses, at least 2.
///
/// Throws UserError for invalid parameters. Throws UnfinishedReplay when the trace is damaged, when its
/// operations cannot complete (a receive without a message), naming rank and operation, or when the technique
/// does nothing more. The result depends on trace, parameters (with the seed) and options alone.
ReplayResult replay(JobTrace& trace, SwitchParameters parameters, const ReplayOptions& options);

inline constexpr std::uint32_t kNoPhase = ~std::uint32_t{0};

struct SentMessage {
  enum class Purpose : std::uint8_t { point_to_point, one_sided, collective };
  Time at{};  // recorded time of the rank
  std::uint32_t source_rank = 0, destination_rank = 0;
  Port source = 0, destination = 0;  // they differ: messages between ranks of one port are not visited
  Bytes bytes = 0;
  std::uint64_t site = 0;
  std::uint32_t call = 0, call_site = 0;  // as in Operation
  Purpose purpose = Purpose::point_to_point;
  CollectiveOp collective = CollectiveOp::barrier;  // of a message of a collective
  std::uint32_t phase = kNoPhase;                   // innermost hinted phase (region) of the rank
  std::uint32_t phase_occurrence = 0;               // of the phase in this location: 1, 2, ...
};
/// Phase of a message as predictors see it: 0 outside all phases, and if they are not notified of phases.
inline PhaseMark phase_of(const SentMessage& message, const ReplayOptions& options) {
  if (!options.notify_predictors || message.phase == kNoPhase) return {};
  return {message.phase + 1, message.phase_occurrence};
}

/// Calls `visit` for each message that the job sends over the network, collectives expanded, at its recorded
/// time (no emulation): the input of predictors and of the phase finder. Messages of a rank come in the order
/// sent, and ranks are merged by time. Memory does not grow with the trace.
void for_each_sent(JobTrace& trace, const ReplayOptions& options,
                   const std::function<void(const SentMessage&)>& visit);

}  // namespace hybrid
