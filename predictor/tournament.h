// A tournament: forecasters of several kinds learn from the same stream, and one of them, the leader, decides
// what is requested ahead. Which is the best depends on the program, and changes with its phases.
//
// Contestants: nothing ahead (least recently used); Markov of order 1; of order 2 by call sites, or 1 where
// it knows nothing; of order 1 by call sites, and after it what orders 2 and 1 add; better-cycle, and TAGE.
// The leader expects after every send; so does a challenger, for kDuel sends, the better of two drawn at
// random. What the challenger would hold, had it led since its duel began, is kept beside what is held. A
// challenger that had a send's destination where the leader had not gains a point, the other way round it
// loses one. Whoever is kLead points ahead leads. Two are compared over the same sends, so that it does not
// matter whether these were hard or easy.
//
// Markov by call sites leads first: it expects after one occurrence, and short jobs are over before a duel is
// won. What follows a destination often depends on where in the program it is sent to, seldom on what came
// two sends before. Nothing ahead is compared like the others: where expectations are worth less than the
// places that they take, the tournament is least recently used, but for the sends that it takes to see it.
//
// Whoever leads, a place that is left goes to what is next in a line (predictor/destination_line.h): the
// first round of a loop over the ranks is foretold by nothing that was learnt.
//
// The cost does not grow with the number of contestants but for their learning, which is cheap; TAGE's is
// not: it rests while the leader hardly misses, and every other period unless it leads or is about to. While
// the leader hardly misses, there is one duel where there would be four. With one place there is nothing to
// contest.
//
// Where the program names its phases (predictor/named_phases.h), the first destinations of one that recurs
// are requested when it begins, whoever leads.
//
// State: 4 bytes a destination, 2 more without a capacity, and at most 40 KiB of contestants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "predictor/cycle.h"
#include "predictor/destination_line.h"
#include "predictor/markov.h"
#include "predictor/named_phases.h"
#include "predictor/predictor.h"
#include "predictor/small_holdings.h"
#include "predictor/tage.h"
#include "predictor/used_holdings.h"

namespace hybrid {

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
  static constexpr std::size_t kMostAsked = 5;
  static constexpr std::uint32_t kPeriod = 256, kFewMisses = 2;

  struct Guess {
    std::array<Expected, kMostAsked> expected{};
    std::uint8_t count = 0;
    std::span<const Expected> all() const { return {expected.data(), count}; }
  };

  Decisions contest(Port destination, std::uint8_t size_class, std::uint64_t site);
  void ask(Contestant contestant, Guess& guess);
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
  std::array<std::int16_t, kContestants> points_{};  // ahead of the leader
  // What would be held since the duel began; the leader's only where it has more places than can be compared,
  // or no limit: then they are compared as with kFewPlaces.
  SmallHoldings leaders_holdings_, challengers_holdings_;
  std::uint8_t asked_;                             // expectations asked for
  std::uint32_t sends_ = 0, misses_ = 0, random_;  // misses_: in this period
  // The last size class by the destination's last seven bits; the mean time between sends.
  std::array<std::uint8_t, 128> sizes_{};
  Time last_send_ = Time::never(), gap_{};
};

}  // namespace hybrid
