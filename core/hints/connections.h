// The connections that a unit's call sites and phases make in a job: expressions, guards, loops and
// communicators put together.
//
// Only sends count (MPI_Sendrecv's and persistent ones too); a receive says the same from the other end, and
// collectives' messages depend on the MPI library. A rank that sends to itself makes no connection.
//
// What a recorded run showed of a phase (a profile) belongs to its connections in jobs of that run's number
// of ranks. It settles nothing about a call site: another run may do otherwise.
//
// Wherever something is not known, that is said instead of guessed: what is told are connections that the
// program makes, as far as it reaches the call. Two things are taken for granted where they are not known:
// that a loop is entered whose number of turns nobody can tell and on which nothing in the call depends
// (`while (error > limit)`), and that a site outside all of this is reached. Where the number of turns is
// read at run time (`for (step = 0; step < steps; ++step)`) it is waited for, unless `Unread` says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/hints/evaluation.h"
#include "core/hints/note_reader.h"

namespace hybrid {

/// World ranks that one rank sends to, sorted, each once.
struct HintDestinations {
  std::vector<std::uint32_t> ranks;
  std::string unknown;  // why not all are known; empty: all are. A phase's known ones are told all the same
};

/// The same of all ranks: connections between world ranks, sorted, each once.
struct HintConnections {
  std::vector<Connection> connections;
  std::string unknown;
};

/// How many connections of a phase recorded runs showed, by their number of ranks.
std::map<std::uint32_t, std::uint64_t> profiled_connections(const HintUnit& unit, const hybrid_phase& phase);

class HintConnectionFinder {
 public:
  /// A loop that is turned by something which is read at run time and was not: for a reader of the program
  /// it is entered, for who acts on what is told it is unknown.
  enum class Unread { unknown, entered };

  /// The evaluator outlives this.
  explicit HintConnectionFinder(HintEvaluator& evaluator, Unread unread = Unread::unknown);

  /// One rank's part of a call site, none for anything but a send. Cost: turns of its loops on which its peer
  /// or guard depends, times their nodes; communicators as in HintEvaluator. Never O(P^2) of itself.
  HintDestinations site(std::uint32_t site, std::uint32_t rank);

  /// One rank's part of a phase: of its sends (not those of phases inside it), its pattern, its explicit
  /// connections, its profile. None where the phase's condition does not hold. `holds`: what the condition
  /// came to, if the caller knows. Explicit connections whose source is not simply the caller's rank take
  /// O(P). An impossible pattern is told as unknown.
  HintDestinations phase(std::uint32_t phase, std::uint32_t rank, std::optional<bool> holds = std::nullopt);

  /// All ranks' parts: P times the above.
  HintConnections site(std::uint32_t site);
  HintConnections phase(std::uint32_t phase, std::optional<bool> holds = std::nullopt);

 private:
  // What following a site's loops needs to know of it, found once.
  struct Plan {
    bool ready = false;
    std::vector<std::uint32_t> loops;  // around it, outermost first
    std::vector<bool> followed;        // by place in `loops`: turn by turn, or entered once
  };
  class Walk;

  const Plan& plan(std::uint32_t site);
  void add_variables(std::uint32_t node, std::vector<bool>& variables, std::vector<bool>& seen) const;
  void add_pattern(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& told);
  void add_explicit(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& told);
  void add_profile(const hybrid_phase& phase, std::uint32_t rank, HintDestinations& told) const;

  HintEvaluator& evaluator_;
  const Unread unread_;
  std::vector<Plan> plans_;                           // by site
  std::vector<std::uint32_t> loop_of_;                // by variable
  std::vector<std::vector<std::uint32_t>> of_phase_;  // sends, by phase
};

}  // namespace hybrid
