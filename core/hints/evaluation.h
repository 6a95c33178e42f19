// The values of expressions of hints, for any rank of a job.
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

/// The values of HYBRID_PROC_NULL and HYBRID_ANY_SOURCE: MPICH's, so that programs' comparisons come out
/// right.
inline constexpr std::int64_t kHintProcNull = -1, kHintAnySource = -2;

/// The most turns that are followed for one rank: of the loops around a site, of the loops whose results a
/// value takes.
inline constexpr std::uint32_t kHintTurns = 1u << 20;

/// What a run holds. Both answer with nothing where they do not know: a program's own process knows its own
/// rank's values only.
class HintValues {
 public:
  virtual ~HintValues() = default;
  /// The variable that a HYBRID_LOAD reads in the process of `rank`: `offset` bytes behind pointer `address`
  /// of the unit's table, `width` as in the ABI. `name` is the source's.
  virtual std::optional<std::int64_t> load(std::uint32_t rank, std::uint32_t address, std::int64_t offset,
                                           std::int32_t width, std::string_view name) = 0;
  virtual std::optional<std::int64_t> input(std::uint32_t rank, std::string_view name) = 0;
};

/// No value is known.
class NoHintValues final : public HintValues {
 public:
  std::optional<std::int64_t> load(std::uint32_t, std::uint32_t, std::int64_t, std::int32_t,
                                   std::string_view) override {
    return std::nullopt;
  }
  std::optional<std::int64_t> input(std::uint32_t, std::string_view) override { return std::nullopt; }
};

/// A communicator as one of its members sees it.
struct HintGroup {
  std::vector<std::uint32_t> members;  // world rank of each rank
  bool is_cartesian = false;           // then, row-major:
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
};

/// Evaluates one unit's expressions in a job of `ranks` ranks. Unit and values outlive it.
///
/// Nothing is read that the program would not read: of SELECT, the branch not taken is not evaluated; of
/// AND, the second operand is not where the first is 0; of OR of truths, it is not where the first is 1.
/// A value is unknown (nothing) when one it needs is, for a division by zero, a shift of 64 bits or more, a
/// real that is no 64-bit integer, coordinates outside a Cartesian communicator, a caller outside the
/// communicator, a loop variable that has no value now, and the result of a loop whose turns are not known or
/// are more than kHintTurns.
///
/// Cost: a value visits each node under it once per rank, and those of a loop whose result it takes once per
/// turn; results that depend on no loop around it are kept. A communicator is made once, for all ranks
/// together (color and key of all of its parent's members): O(P log P) and 2P values, whichever rank asks
/// first.
class HintEvaluator {
 public:
  HintEvaluator(const HintUnit& unit, std::uint32_t ranks, HintValues& values);
  HintEvaluator(const HintEvaluator&) = delete;
  HintEvaluator& operator=(const HintEvaluator&) = delete;
  ~HintEvaluator();

  const HintUnit& unit() const { return unit_; }
  std::uint32_t ranks() const { return ranks_; }

  /// The value that `rank` (of MPI_COMM_WORLD) finds, below ranks().
  std::optional<std::int64_t> value(std::uint32_t node, std::uint32_t rank);
  /// The values of a list's elements; nothing where one is unknown.
  std::optional<std::vector<std::int64_t>> list(std::uint32_t node, std::uint32_t rank);

  /// `rank`'s communicator. `known`: whether it is known; null then says MPI_COMM_NULL.
  const HintGroup* communicator(std::uint32_t node, std::uint32_t rank, bool& known);

  /// Gives a loop variable a value, or none.
  void set_variable(std::uint32_t variable, std::optional<std::int64_t> value);

  /// Counts a turn of a loop; false once there have been more than kHintTurns since the last restart.
  bool count_turn() { return ++turns_ <= kHintTurns; }
  void restart_turns() { turns_ = 0; }

  /// Values of the run may have changed: everything is evaluated anew.
  void forget();

  /// What was unknown last, as a sentence: "params.left is not known".
  std::string reason() const;

 private:
  struct Groups;

  std::optional<std::int64_t> visit(std::uint32_t node);
  std::optional<std::int64_t> calculate(std::uint32_t node);
  std::optional<std::int64_t> unknown(std::uint32_t node);
  std::optional<std::int64_t> cartesian(std::uint32_t node);
  std::optional<std::int64_t> translate(std::uint32_t node);
  // loop_results.cpp
  class Turns;
  std::optional<std::int64_t> variable(std::uint32_t node, std::uint32_t variable);
  std::optional<std::int64_t> after(std::uint32_t node);
  std::optional<std::int64_t> entry(std::uint32_t node);
  bool visit_list(std::uint32_t node, std::vector<std::int64_t>& values);
  const Groups& groups(std::uint32_t node);
  std::unique_ptr<Groups> make_groups(std::uint32_t node);
  void make_split(const hybrid_node& n, Groups& groups);
  void make_cartesian(const hybrid_node& n, Groups& groups);
  void make_cartesian_part(const hybrid_node& n, Groups& groups);
  void turn_to(std::uint32_t rank);
  void turn_to_member(const HintGroup& group);

  const HintUnit& unit_;
  const std::uint32_t ranks_;
  HintValues& values_;
  std::uint32_t home_ = 0;  // the rank asked for
  std::uint32_t rank_ = 0;  // the caller
  std::vector<std::optional<std::int64_t>> variables_;
  using Values = std::vector<std::optional<std::int64_t>>;
  Values known_;  // by node, where marked_ is now_
  std::vector<std::uint64_t> marked_;
  std::uint64_t now_ = 1, clock_ = 1;  // clock_: the latest that now_ has been
  // Of loops that run to their end, the innermost last: their variables, and whether nothing else was asked.
  struct Running {
    std::uint32_t first, count;
    bool closed;
  };
  std::vector<Running> running_;
  std::vector<std::pair<Values, std::vector<std::uint64_t>>> aside_;  // what is known outside of them
  // Of this rank, what depends on no loop around it: by node, and tables by loop, place and value.
  std::map<std::uint32_t, std::optional<std::int64_t>> results_;
  using Table = std::map<std::int64_t, std::optional<std::int64_t>>;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Table> tables_;
  std::uint32_t turns_ = 0;
  std::vector<std::unique_ptr<Groups>> groups_;  // by node
  std::uint32_t unknown_ = HYBRID_NONE;
};

}  // namespace hybrid
