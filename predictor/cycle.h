// Cycle: Afsahi's cycle predictors (D 2.1.2): "if a sequence of communication appear once, it may appear
// later".
//
// single-cycle: the first destination is the head of a cycle. Destinations are logged until the next send to
// the head. From then on the sequence is expected to repeat. The first destination that differs from the
// expected one is the head of a new cycle.
//
// better-cycle: remembers the last cycle of every head. If a cycle ends at a destination that was the head of
// an earlier cycle, that cycle is expected at once. This suits programs that alternate between a few loops.
//
// Afsahi's variants 2, which also predict the last destination while a cycle forms, are not needed: every
// predictor here holds the last destination.
//
// A cycle is at most half as long as the log. Weak on: a head that does not recur (for example a start-up
// message), because the cycle keeps forming until the limit of its length; and stray messages, because a
// cycle that is interrupted needs a full round to form again.
//
// State: 8 KiB of log; for better-cycle in addition 8 bytes for each destination, at most 16 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "predictor/forecaster.h"
#include "predictor/send_log.h"

namespace hybrid {

class Cycle final : public Forecaster {
 public:
  static constexpr std::uint32_t kMostPeriod = SendLog::kLength / 2;

  /// Remembers the cycles of about `heads` heads (rounded up to a power of two, at most kMostHeads); 0:
  /// single-cycle.
  explicit Cycle(std::uint32_t heads);

  void learn(Port destination, std::uint8_t size_class, std::uint64_t site) override;
  std::size_t expect(std::span<Expected> out) override;
  void forget_position() override { is_forming_ = has_head_ = false; }
  std::size_t state_bytes() const override { return sizeof(*this) + known_.size() * sizeof(Known); }

 private:
  static constexpr std::size_t kMostHeads = 2048;
  struct Known {
    std::uint32_t begin = 0;   // begin of a round in the log
    std::uint16_t period = 0;  // 0: none
    std::uint16_t head = 0;
  };

  Known* known(Port head) { return known_.empty() ? nullptr : &known_[head & (known_.size() - 1)]; }
  void begin_at(Port head, std::uint32_t number);
  void follow(std::uint32_t round, std::uint32_t number);
  void advance();

  SendLog log_;
  std::vector<Known> known_;
  // has_head_: in a cycle, or forming one. The current round began at begin_. In a cycle, done_ of the
  // period_ sends of the round have occurred, and the next one is expected to equal send source_ of an
  // earlier round.
  bool has_head_ = false, is_forming_ = false;
  std::uint32_t begin_ = 0, period_ = 0, done_ = 0, source_ = 0;
  std::uint32_t run_ = 0;  // number of correct expectations in a row
};

}  // namespace hybrid
