// HintEvaluator: the values of hint expressions for any rank of a job.
//
//   NoHintValues values;
//   HintEvaluator evaluator(unit, ranks, values);
//   if (const auto peer = evaluator.value(site.peer, rank)) ...
//   else std::cerr << evaluator.reason();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/hints/note_reader.h"

namespace hybrid {

/// The values of HYBRID_PROC_NULL and HYBRID_ANY_SOURCE: those of MPICH, so that comparisons in programs give
/// the right result.
inline constexpr std::int64_t kHintProcNull = -1, kHintAnySource = -2;

/// Limit on the number of turns of the loops around a site that are evaluated for one rank.
inline constexpr std::uint32_t kHintTurns = 1u << 20;

/// Run-time values of a program. Both functions return nullopt for an unknown value: a process knows the
/// values of its own rank only.
class HintValues {
 public:
  virtual ~HintValues() = default;
  /// Value `number` that the mark of the phase passes in the process of `rank` (HYBRID_ARGUMENT). `name` is
  /// the name in the source.
  virtual std::optional<std::int64_t> argument(std::uint32_t rank, std::uint32_t number,
                                               std::string_view name) = 0;
  virtual std::optional<std::int64_t> input(std::uint32_t rank, std::string_view name) = 0;
};

/// Values of which none is known.
class NoHintValues final : public HintValues {
 public:
  std::optional<std::int64_t> argument(std::uint32_t, std::uint32_t, std::string_view) override {
    return std::nullopt;
  }
  std::optional<std::int64_t> input(std::uint32_t, std::string_view) override { return std::nullopt; }
};

/// A communicator.
struct HintGroup {
  std::vector<std::uint32_t> members;  // world rank of each rank
  bool is_cartesian = false;           // if so, row-major with:
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
};

/// Evaluates the expressions of one unit in a job of `ranks` ranks. Requires: unit and values outlive it.
///
/// It does not evaluate: the branch of SELECT that is not taken; the second operand of AND if the first is 0;
/// the second operand of OR of truth values if the first is 1.
///
/// A value is unknown (nullopt) if an operand that it needs is unknown, and for: a division by zero, a shift
/// by 64 bits or more, coordinates outside a Cartesian communicator, a caller outside the communicator, and a
/// loop variable without a current value.
///
/// Cost: a value visits each node below it once per rank. A communicator is constructed once for all ranks
/// (color and key of all members of its parent): O(P log P) and 2P values.
class HintEvaluator {
 public:
  HintEvaluator(const HintUnit& unit, std::uint32_t ranks, HintValues& values);
  HintEvaluator(const HintEvaluator&) = delete;
  HintEvaluator& operator=(const HintEvaluator&) = delete;
  ~HintEvaluator();

  const HintUnit& unit() const { return unit_; }
  std::uint32_t ranks() const { return ranks_; }

  /// The value of `node` for `rank` of MPI_COMM_WORLD. Requires: rank < ranks().
  std::optional<std::int64_t> value(std::uint32_t node, std::uint32_t rank);
  /// The values of the elements of a list; nullopt if one of them is unknown.
  std::optional<std::vector<std::int64_t>> list(std::uint32_t node, std::uint32_t rank);

  /// The communicator of `rank`; nullptr if it is MPI_COMM_NULL or unknown. Sets `known`.
  const HintGroup* communicator(std::uint32_t node, std::uint32_t rank, bool& known);

  /// Sets the current value of a loop variable, or removes it.
  void set_variable(std::uint32_t variable, std::optional<std::int64_t> value);

  /// Counts a turn of a loop. Returns false after more than kHintTurns turns since the last restart.
  bool count_turn() { return ++turns_ <= kHintTurns; }
  void restart_turns() { turns_ = 0; }

  /// Discards all cached values, because run-time values may have changed.
  void forget();

  /// The last unknown value, as a sentence: "params.left is not known".
  std::string reason() const;

 private:
  struct Groups;

  std::optional<std::int64_t> visit(std::uint32_t node);
  std::optional<std::int64_t> calculate(std::uint32_t node);
  std::optional<std::int64_t> unknown(std::uint32_t node);
  std::optional<std::int64_t> cartesian(std::uint32_t node);
  bool visit_list(std::uint32_t node, std::vector<std::int64_t>& values);
  const Groups& groups(std::uint32_t node);
  std::unique_ptr<Groups> make_groups(std::uint32_t node);
  void make_split(const hybrid_node& n, Groups& groups);
  void make_cartesian(const hybrid_node& n, Groups& groups);
  void make_cartesian_part(const hybrid_node& n, Groups& groups);
  void set_rank(std::uint32_t rank);
  void set_rank_to_member(const HintGroup& group);

  const HintUnit& unit_;
  const std::uint32_t ranks_;
  HintValues& values_;
  std::uint32_t home_ = 0;  // the rank of the request
  std::uint32_t rank_ = 0;  // the rank being evaluated, which differs for the members of a communicator
  std::vector<std::optional<std::int64_t>> variables_;
  using Values = std::vector<std::optional<std::int64_t>>;
  Values known_;  // cached values by node, valid if marked_[node] == now_
  std::vector<std::uint64_t> marked_;
  std::uint64_t now_ = 1, clock_ = 1;  // clock_: the largest now_ so far
  std::uint32_t turns_ = 0;
  std::vector<std::unique_ptr<Groups>> groups_;  // by node
  std::uint32_t unknown_ = HYBRID_NONE;
};

}  // namespace hybrid
