// Replays a recorded job on an emulated switch, with its dependencies: a receive completes when the emulated
// network delivers, compute gaps are kept, wildcards follow the recorded match, collectives become the
// messages of the algorithms that MPICH would pick (emulator/replay/collective.h).
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

/// What the preloaded slots hold while a hinted phase goes on, by the phase's name: one configuration for
/// each of the slots 0, 1, ... (emulator/replay/phase_preload.h makes them).
using PhasePreloads = std::map<std::string, std::vector<Configuration>>;

/// When which phase was, in recorded time: of a job without hints, as found from its sends.
struct PhaseSchedule {
  std::vector<std::string> names;
  std::vector<PhaseOccurrence> occurrences;  // in order of time; those before the first are of its phase
};

/// Of a job with hints: the phase of what no hinted phase has.
inline constexpr std::string_view kOutsidePhases = "outside phases";

struct ReplayOptions {
  /// Rank -> port; empty: the trace's own placement, or rank r at port r.
  std::vector<std::uint32_t> placement;
  /// Ports of the switch where it is a crossbar; 0: as many as the placement uses.
  std::uint32_t crossbar = 0;
  /// Time from one rank to another of the same port (shared memory), and its rate.
  Time local_latency = nanoseconds(200);
  BitRate local_rate = 80'000'000'000;
  /// Algorithm by collective ("allreduce" -> "ring"); those not named: MPICH's choice by size.
  std::map<std::string, std::string> algorithms;
  /// Empty: nothing is preloaded. A phase's slots are loaded when the first rank reaches an occurrence of it,
  /// unless they hold just that: going back to the phase around one that ends is an occurrence, too.
  PhasePreloads preloads;
  /// By slot: loaded at the start, and again after every flush: a fixed topology
  /// (emulator/traffic/topology_map.h). Without `preloads`.
  std::vector<Configuration> fixed_preload;
  /// Which phases the measures tell apart; empty: those that the job hints.
  PhaseSchedule phases;
  /// Predictors are told of the phases that the job hints.
  bool tell_phases = true;
  /// Broadcasts and barriers of intra-communicators are the fabric's (emulator/network/collective_plane.h),
  /// whatever `algorithms` says of them.
  bool hardware_multicast = false;
  /// Told what the ports do, where anybody wants to know; not what the fabric's own broadcasts and barriers
  /// do.
  PortTimeline* timeline = nullptr;
  /// Told now and then how far the replay is: operations done so far. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// The measures' phases: a message belongs to the innermost phase in which the operation that sends it began;
/// a rank (each of its threads) is in one from its first operation there to the first in another one, and
/// after its last to the end of the job. Times are means over them all.
struct ReplayResult {
  Measures measures;
  std::vector<std::string> warnings;  // what of an incomplete trace could not be replayed; one line each
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

/// Throws UserError when two ranks of one port cannot be that far apart.
void check(const ReplayOptions& options);

/// Runs to the end of the job. The nodes of the switch are those of the tree, or of the options'
/// crossbar: the ports that the placement uses (at least 2) unless it is given.
/// Throws UserError for parameters that cannot be, and UnfinishedReplay when the trace is damaged or its
/// operations cannot complete (a receive that nobody sends to), naming rank and operation, or when the
/// technique gets stuck. Same trace, parameters and seed: same result.
ReplayResult replay(JobTrace& trace, SwitchParameters parameters, const ReplayOptions& options);

/// Calls `visit` for every message that the job puts on the network, collectives expanded, in the recorded
/// time of its rank (no emulation): what predictors and the phase finder look at. Each rank's messages come
/// in the order sent; ranks are merged by time as a heap over the locations gives it, so that memory does not
/// grow with the trace.
inline constexpr std::uint32_t kNoPhase = ~std::uint32_t{0};

struct SentMessage {
  Time at{};  // recorded time of the rank
  std::uint32_t source_rank = 0, destination_rank = 0;
  Port source = 0, destination = 0;  // ports; equal for local messages, which are skipped
  Bytes bytes = 0;
  std::uint64_t site = 0;
  std::uint32_t phase = kNoPhase;      // innermost hinted phase (region) of the rank
  std::uint32_t phase_occurrence = 0;  // 1: the first time that the rank's thread is in it, ...
};
/// What a predictor is told of a message's phase: 0 for none, and where they are told of none.
inline PhaseMark phase_of(const SentMessage& message, const ReplayOptions& options) {
  if (!options.tell_phases || message.phase == kNoPhase) return {};
  return {message.phase + 1, message.phase_occurrence};
}

void for_each_sent(JobTrace& trace, const ReplayOptions& options,
                   const std::function<void(const SentMessage&)>& visit);

}  // namespace hybrid
