// Afsahi's cycle predictors (D 2.1.2): "if a sequence of communication appear once, it may appear later".
//
// single-cycle. A cycle begins at its head, the first destination of all. The destinations are logged until
// the head is sent to again: from there on the sequence is expected to go round. The first that is not the
// expected one is the head of a new cycle.
//
// better-cycle. The last cycle of every head is kept. When a cycle breaks at a destination that headed a
// cycle before, that cycle is expected to go on at once; there is nothing to form anew. Programs that go
// through a few loops in turn are its case.
//
// Afsahi's variants 2 offer the last destination again while a cycle forms: here every predictor holds it, so
// that they would be the same predictors.
//
// A cycle is at most half as long as the log. What defeats them: a head that does not come back, a start-up
// message for instance, keeps a cycle forming until the log has passed it; and a stray message breaks a
// cycle, which takes a round to form anew.
//
// State: 8 KiB of log, and for better-cycle 8 bytes a destination, 16 KiB at most.
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

  /// Of `heads` destinations the cycles are kept, of about as many at least; 0: the single cycle.
  explicit Cycle(std::uint32_t heads);

  void learn(Port destination, std::uint8_t size_class, std::uint64_t site) override;
  std::size_t expect(std::span<Expected> out) override;
  void forget_position() override { is_forming_ = has_head_ = false; }
  std::size_t state_bytes() const override { return sizeof(*this) + known_.size() * sizeof(Known); }

 private:
  static constexpr std::size_t kMostHeads = 2048;
  struct Known {
    std::uint32_t begin = 0;   // a round of it in the log
    std::uint16_t period = 0;  // 0: none
    std::uint16_t head = 0;
  };

  Known* known(Port head) { return known_.empty() ? nullptr : &known_[head & (known_.size() - 1)]; }
  void begin_at(Port head, std::uint32_t number);
  void follow(std::uint32_t round, std::uint32_t number);
  void advance();

  SendLog log_;
  std::vector<Known> known_;
  // has_head_: in a cycle, or forming one. The present round began at begin_; in a cycle `done_` of its
  // period_ sends have come, and the next is expected to be the one numbered source_, in an earlier round.
  bool has_head_ = false, is_forming_ = false;
  std::uint32_t begin_ = 0, period_ = 0, done_ = 0, source_ = 0;
  std::uint32_t run_ = 0;  // of expectations that came true
};

}  // namespace hybrid
