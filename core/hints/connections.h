// HintConnectionFinder: computes the connections of a unit's call sites and phases in a job, from their
// expressions, guards, loops and communicators.
//
// Only sends count, including those of MPI_Sendrecv and persistent sends. A receive describes the same
// connection from the other end, and the messages of collectives depend on the MPI library. A send of a rank
// to itself is not a connection.
//
// The profile of a phase (connections in recorded runs) is added to its connections in jobs of the same
// number of ranks. It adds nothing to a call site, because other runs may differ.
//
// The finder does not guess: a reported connection is one that the program uses if it reaches the call, and
// for the rest the result contains the reason why it is unknown. It makes two assumptions:
// - a loop with an unknown number of turns is entered if nothing in the call depends on the loop
//   (`while (error > limit)`);
// - a site is reached if its guard holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "core/hints/evaluation.h"
#include "core/hints/note_reader.h"

namespace hybrid {

/// Why the connections of an inspected or speculative send are not known without a run.
inline constexpr std::string_view kInspectedInTheRun =
    "an inspector computes it in the running program, whose trace has it";

/// World ranks that one rank sends to, sorted, without duplicates.
struct HintDestinations {
  std::vector<std::uint32_t> ranks;
  std::string unknown;  // why some are unknown, or empty. `ranks` of a phase then contains the known ones
};

/// Connections between world ranks, of all ranks, sorted, without duplicates.
struct HintConnections {
  std::vector<Connection> connections;
  std::string unknown;
};

/// Number of connections in a phase's profile, by the number of ranks of the recorded run.
std::map<std::uint32_t, std::uint64_t> profiled_connections(const HintUnit& unit, const hybrid_phase& phase);

class HintConnectionFinder {
 public:
  /// The sites that are evaluated: those that have hints (static ones, and speculative ones with an
  /// expression), for a caller that acts on the connections; or all with an expression, whose values the user
  /// may give.
  enum class Sites { hinted, all };

  /// Requires: `evaluator` outlives the finder.
  explicit HintConnectionFinder(HintEvaluator& evaluator, Sites sites = Sites::hinted);

  /// The destinations of `rank` at a call site; none if it is not a send. Cost: turns of the loops on which
  /// the peer or guard depends, times their nodes; communicators as in HintEvaluator. Not O(P^2).
  HintDestinations site(std::uint32_t site, std::uint32_t rank);

  /// The destinations of `rank` in a phase: of its sends (without those of nested phases), its pattern, its
  /// explicit connections and its profile. None if the phase's condition does not hold. `holds`: the value of
  /// the condition, if the caller knows it. Explicit connections take O(P) each if their source is not the
  /// caller's rank. A pattern that is impossible for the number of ranks is reported as unknown.
  HintDestinations phase(std::uint32_t phase, std::uint32_t rank, std::optional<bool> holds = std::nullopt);

  /// The connections of all ranks: P times the cost above.
  HintConnections site(std::uint32_t site);
  HintConnections phase(std::uint32_t phase, std::optional<bool> holds = std::nullopt);

 private:
  // How to walk through the loops around a site; computed once.
  struct Plan {
    bool ready = false;
    std::vector<std::uint32_t> loops;  // around the site, outermost first
    std::vector<bool> followed;        // by position in `loops`: walked turn by turn, or entered once
  };
  class Walk;

  const Plan& plan(std::uint32_t site);
  void add_parts(std::uint32_t node, std::vector<bool>& parts) const;
  void add_pattern(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& result);
  void add_explicit(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& result);
  void add_profile(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& result) const;

  HintEvaluator& evaluator_;
  const Sites sites_;
  std::vector<Plan> plans_;                           // by site
  std::vector<std::vector<std::uint32_t>> of_phase_;  // sends, by phase
};

}  // namespace hybrid
