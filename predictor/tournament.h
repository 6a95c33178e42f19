// A tournament: forecasters of several kinds learn from the same stream, and one of them, the leader, decides
// what is requested ahead. Which is the best depends on the program, and changes with its phases.
//
// Contestants: nothing ahead (least recently used), Markov of order 1, 2 and 3, better-cycle, and TAGE. The
// leader expects after every send; so does a challenger, the better of two drawn at random. At the next send
// it is clear whether each of them would have held its destination, with its expectations and the last used
// ones in the places left. A challenger that was right where the leader was wrong gains a point, the other
// way round it loses one. Whoever is kLead points ahead leads. Two are compared over the same sends, so that
// it does not matter whether these were hard or easy.
//
// Nothing ahead leads first, and is compared like the others: where expectations are worth less than the
// places that they take, the tournament is least recently used, but for the sends that it takes to see it.
//
// The cost does not grow with the number of contestants but for their learning, which is cheap; TAGE's is
// not: it rests while the leader hardly misses, and every other period unless it leads or is about to. With
// one place there is nothing to contest.
//
// State: 4 bytes a destination, 2 more without a capacity, and at most 38 KiB of contestants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "predictor/cycle.h"
#include "predictor/markov.h"
#include "predictor/predictor.h"
#include "predictor/tage.h"
#include "predictor/used_holdings.h"

namespace hybrid {

class Tournament final : public Predictor {
 public:
  explicit Tournament(const PredictorShape& shape);

  Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) override;
  void on_flush() override;
  bool holds(Port destination) const override { return held_.holds(destination); }
  std::size_t expect(std::span<Expectation> out) const override;
  std::size_t state_bytes() const override;

  enum Contestant : std::uint8_t { kNothing, kMarkov1, kMarkov2, kMarkov3, kCycle, kTage, kContestants };
  Contestant leader() const { return leader_; }

 private:
  static constexpr int kLead = 4, kMostPoints = 8;
  static constexpr std::size_t kMostRecent = 16;  // with more places, it is compared as with these
  static constexpr std::size_t kMostAsked = 5;
  static constexpr std::uint32_t kPeriod = 256, kFewMisses = 8;
  static constexpr std::uint16_t kNowhere = 0xFFFF;

  struct Guess {
    std::array<Expected, kMostAsked> expected{};
    std::uint8_t count = 0;
  };

  void ask(Contestant contestant, Guess& guess);
  bool would_have_held(const Guess& guess, Port destination) const;
  void judge(Port destination);
  void promote(Contestant contestant);
  void use(Port destination);
  void learn(Port destination, std::uint8_t size_class, std::uint64_t site);
  std::uint32_t draw();

  Markov markov1_, markov2_, markov3_;
  Cycle cycle_;
  Tage tage_;
  UsedHoldings held_;

  Contestant leader_ = kNothing, challenger_ = kNothing;  // challenger_ == leader_: none
  bool tage_learns_ = true;
  Guess leaders_, challengers_;
  std::array<std::int8_t, kContestants> points_{};   // ahead of the leader
  std::array<std::uint16_t, kMostRecent> recent_{};  // the last used, the last first
  std::uint8_t recent_count_ = 0;
  std::uint8_t places_, asked_;                    // as compared; expectations asked for
  std::uint32_t sends_ = 0, misses_ = 0, random_;  // misses_: in this period
  Time last_send_ = Time::never(), gap_{};
};

}  // namespace hybrid
