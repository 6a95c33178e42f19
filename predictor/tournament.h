// Predictor `tournament`: several forecasters learn from the same stream, and one of them, the leader,
// decides which destinations to request ahead. The best forecaster depends on the program and changes with
// its phases.
//
// Contestants: nothing ahead (least recently used); Markov of order 1; Markov of order 2 by call sites, or of
// order 1 if that has no forecast; Markov of order 1 by call sites, completed by orders 2 and 1;
// better-cycle; TAGE. After every send the leader makes a forecast, and so does a challenger: the better of
// two contestants drawn at random, for a duel of kDuel sends. In addition to the held destinations, the
// tournament tracks those that the challenger would hold if it had led since the begin of the duel. The
// challenger gains a point for a send to a destination that it would hold and the leader would not, and loses
// a point in the opposite case. A contestant that is kLead points ahead becomes the leader. Both are compared
// over the same sends, so that the difficulty of the sends does not matter.
//
// The first leader is Markov by call sites: it makes forecasts after one occurrence, which matters in short
// jobs that end before a duel is decided. The next destination often depends on the call site, rarely on the
// send two sends ago. "Nothing ahead" competes like the others: if forecasts are worth less than the places
// that they take, the tournament becomes least recently used, after the sends that it takes to detect this.
//
// With every leader, a free place is used for the next destination of a line (DestinationLine): no forecaster
// can have learnt the first round of a loop over the ranks.
//
// The cost grows with the number of contestants only by their learning, which is cheap, except for TAGE. TAGE
// does not learn while the leader rarely misses, and learns only every other period unless it leads or has
// points. While the leader rarely misses, there is only every fourth duel. With one place there is no
// tournament.
//
// If the program names its phases (named_phases.h), the first destinations of a recurring phase are requested
// at its begin, with every leader.
//
// State: 4 bytes for each destination, 2 more without a capacity, and at most 40 KiB of contestants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/connection.h"
#include "predictor/cycle.h"
#include "predictor/markov.h"
#include "predictor/named_phases.h"
#include "predictor/predictor.h"
#include "predictor/tage.h"
#include "predictor/used_holdings.h"

namespace hybrid {

/// DestinationLine: detects destinations with a constant step, as in a loop over ranks. The next destination
/// of such a line may never have been used before, so that no forecaster can have learnt it.
class DestinationLine {
 public:
  /// Destinations are 0 .. destinations-1; a line wraps around: `(rank + i) % size`.
  explicit DestinationLine(std::uint32_t destinations) : destinations_(destinations) {}

  void send(Port destination) {
    // Without a branch, which would be mispredicted every other time on irregular streams.
    const std::uint32_t around = destinations_ & (0u - std::uint32_t{destination < last_});
    const std::uint32_t step = destination - last_ + around;
    steps_ = step == step_ ? steps_ + 1 : 1;
    step_ = step;
    last_ = destination;
  }
  /// The next destination, if the last kSteps steps were equal.
  std::optional<Port> next() const {
    if (steps_ < kSteps || step_ == 0) return std::nullopt;
    const std::uint32_t next = last_ + step_;
    return next < destinations_ ? next : next - destinations_;
  }

 private:
  static constexpr std::uint32_t kSteps = 2;

  std::uint32_t destinations_;
  Port last_ = kNoPort;  // the step from kNoPort is larger than any other
  std::uint32_t step_ = 0, steps_ = 0;
};

class Tournament final : public Predictor {
 public:
  explicit Tournament(const PredictorShape& shape);

  Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) override;
  Decisions on_phase(Time now, std::uint32_t phase) override;
  bool takes_phases() const override { return true; }
  void on_flush() override;
  bool holds(Port destination) const override { return held_.holds(destination); }
  std::size_t expect(std::span<Expectation> out) const override;
  std::size_t state_bytes() const override;

  enum Contestant : std::uint8_t { kNothing, kMarkov1, kMarkov2, kSites, kCycle, kTage, kContestants };
  Contestant leader() const { return leader_; }

 private:
  static constexpr int kLead = 4, kMostPoints = 8;
  static constexpr std::uint32_t kDuel = 16, kFewPlaces = 8;
  static constexpr std::size_t kMostExpected = 5;
  static constexpr std::uint32_t kPeriod = 256, kFewMisses = 2;

  struct Guess {
    std::array<Expected, kMostExpected> expected{};
    std::uint8_t count = 0;
    std::span<const Expected> all() const { return {expected.data(), count}; }
  };

  Decisions contest(Port destination, std::uint8_t size_class, std::uint64_t site);
  void forecast(Contestant contestant, Guess& guess);
  void add_next_in_line(Guess& guess) const;
  void judge(bool leader_held, bool challenger_held);
  void promote(Contestant contestant);
  void begin_duel();
  void learn(Port destination, std::uint8_t size_class, std::uint64_t site);
  std::uint32_t draw();

  Markov markov1_, markov2_, sites_;
  Cycle cycle_;
  Tage tage_;
  DestinationLine line_;
  UsedHoldings held_;
  NamedPhases named_;

  Contestant leader_ = kSites, challenger_ = kSites;  // challenger_ == leader_: none
  bool tage_learns_ = true, is_content_ = false;      // is_content_: few misses in the last period
  Guess leaders_, challengers_;
  std::array<std::int16_t, kContestants> points_{};  // relative to the leader
  // The destinations that each would hold since the begin of the duel. The leader's are used only if the
  // capacity is too large for a comparison, or unlimited; they are then compared with kFewPlaces places.
  SmallHoldings leaders_holdings_, challengers_holdings_;
  std::uint8_t forecast_length_;
  std::uint32_t sends_ = 0, misses_ = 0, random_;  // misses_: in this period
  // The last size class by the lowest seven bits of the destination.
  std::array<std::uint8_t, 128> sizes_{};
  Time last_send_ = Time::never(), gap_{};  // time of the last send; mean time between sends
};

}  // namespace hybrid
