// The Markov predictor of order k (D 2.1.2): "probability P_ij is calculated as the probability of accessing
// memory i after accessing memory j"; of order 2 "if the current processor accesses memory j after accessing
// memory q. Probabilities are updated after every memory access."
//
// It expects every regular successor of the last k destinations: those that followed in at least an eighth of
// the cases, once being enough at first. Then, as long as one successor is more likely than all others
// together and followed twice, it expects the one after it: several sends ahead, because a request takes
// longer than the time between two sends of a loop. What followed once is no ground to look further from:
// what else may come next has a better use for the place.
//
// State: at most 32 KiB of transitions, 56 KiB at 4096 destinations with what is held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "predictor/forecaster.h"
#include "predictor/predictor.h"
#include "predictor/transition_table.h"

namespace hybrid {

class Markov final : public Forecaster {
 public:
  static constexpr std::size_t kAhead = 4;
  static constexpr unsigned kMostOrder = 8;

  /// The order is 1 .. kMostOrder. At most `most_entries` contexts are kept.
  Markov(unsigned order, std::uint32_t destinations,
         std::size_t most_entries = TransitionTable::kMostEntries);

  void learn(Port destination, std::uint8_t, std::uint64_t) override {
    if (known_ != 0)
      TransitionTable::learn(*step(0).entry, destination);
    else if (static_cast<std::uint16_t>(history_.last) != kNowhere)
      transitions_.learn(context(history_), destination);
    history_.push(destination);
    if (known_ > 1 && step(1).via == static_cast<std::uint16_t>(destination)) {
      ++first_;
      --known_;
    } else {
      known_ = 0;
    }
  }
  std::size_t expect(std::span<Expected> out) override;
  /// Keeps the probabilities, forgets which destinations came last.
  void forget_position() override {
    history_ = {};
    known_ = 0;
  }
  std::size_t state_bytes() const override { return sizeof(*this) + transitions_.heap_bytes(); }

  /// The predictor of that order. Throws UserError, naming `name`, for an impossible shape.
  static std::unique_ptr<Predictor> make_predictor(std::string_view name, unsigned order,
                                                   const PredictorShape& shape);

 private:
  static constexpr std::uint16_t kNowhere = 0xFFFF;  // before the first send

  // The last eight destinations, 16 bits each, the last one in the lowest.
  struct History {
    std::uint64_t last = ~std::uint64_t{0}, before = ~std::uint64_t{0};
    void push(std::uint64_t destination) {
      before = before << 16 | last >> 48;
      last = last << 16 | destination;
    }
  };
  std::uint64_t context(const History& history) const {
    return (history.last & last_mask_) ^ (history.before & before_mask_) * 0xD6E8FEB86659FD93ULL;
  }

  // The way that expect() looked, if learn() has not left it: what the table has of history_, of it and the
  // destination `via`, and so on. A step that comes true is not looked up again. Only the first is changed by
  // the next learn(), in its place, so that all stay where they are.
  struct Step {
    TransitionTable::Entry* entry = nullptr;
    std::uint16_t via = kNowhere;
  };
  Step& step(unsigned ahead) { return steps_[(first_ + ahead) % kAhead]; }
  const TransitionTable::Entry* look(unsigned ahead, std::uint16_t via);

  std::array<Step, kAhead> steps_{};
  std::uint8_t first_ = 0, known_ = 0;  // steps_[first_ ...], known_ of them
  TransitionTable transitions_;
  std::uint64_t last_mask_, before_mask_;
  History history_;
};

}  // namespace hybrid
