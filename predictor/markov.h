// The Markov predictor of order 1 or 2 (D 2.1.2): "probability P_ij is calculated as the probability of
// accessing memory i after accessing memory j"; of order 2 "if the current processor accesses memory j after
// accessing memory q. Probabilities are updated after every memory access."
//
// After a send it holds
// - the destination itself: the message needs its connection now, and the next time;
// - the likely next ones, requested ahead: every regular successor, then, as long as one successor is more
//   likely than all others together, the one after it, up to kAhead destinations in all. Several sends ahead,
//   because a request takes longer than the time between two sends of a loop;
// - what was used or expected within the last `threshold` sends (the counter of D 5.2.2, renewed by being
//   expected too), so that a program that leaves the habit loses nothing at once.
// A successor is regular once it followed twice, in at least an eighth of the cases: a single coincidence
// requests nothing.
//
// Without a place, the one that was used or expected longest ago goes, and among those of one send the one
// expected last: the least probable before the more probable, both after what nothing expects any more. With
// capacity c it looks at most c - 1 destinations ahead.
//
// State: 6 bytes a destination and at most 32 KiB of transitions; 56 KiB at 4096 destinations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "predictor/planned_holdings.h"
#include "predictor/predictor.h"
#include "predictor/transition_table.h"

namespace hybrid {

class Markov final : public Predictor {
 public:
  static constexpr std::size_t kAhead = 4;

  /// `order` is 1 or 2. Throws UserError, naming `name`, for an impossible shape.
  Markov(std::string_view name, unsigned order, const PredictorShape& shape);

  Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) override;
  /// Keeps the probabilities, forgets which destinations came last: what follows a flush does not follow from
  /// what went before it.
  void on_flush() override;
  bool holds(Port destination) const override { return held_.holds(destination); }
  std::size_t state_bytes() const override {
    return sizeof(*this) + transitions_.heap_bytes() + held_.heap_bytes();
  }

 private:
  static constexpr std::uint16_t kNowhere = 0xFFFF;  // before the first send

  std::uint32_t context(std::uint32_t before_last, std::uint32_t last) const {
    return order_ == 1 ? last : before_last << 16 | last;
  }
  void plan();

  TransitionTable transitions_;
  PlannedHoldings held_;
  unsigned order_;
  std::uint16_t last_ = kNowhere, before_last_ = kNowhere;
};

}  // namespace hybrid
