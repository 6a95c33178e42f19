// PredictorEvaluation: scores a predictor on a stream of sends, without a network: was the connection of a
// message established at the time of its send?
//
// Every request is granted at once, so that the score depends on the predictor only.
//
//   PredictorEvaluation evaluation("markov1", shape);
//   for (const Send& s : sends) evaluation.send(s.at, s.destination, s.bytes, s.site);
//   const PredictorScore score = evaluation.finish(end);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/units.h"
#include "predictor/predictor.h"

namespace hybrid {

struct PredictorScore {
  std::string predictor;
  std::uint32_t capacity = 0;
  std::uint64_t sends = 0;
  std::uint64_t hits = 0;                    // sends to a destination that was held
  std::uint64_t requests = 0, releases = 0;  // a flush does not count as release
  Time held{};                               // time held, summed over destinations
  Time held_unused{};                        // the part of it in holdings (request to release) without a hit
  // Requests ahead: not at the time of a send to the destination.
  std::uint64_t ahead = 0;
  std::uint64_t ahead_used = 0;  // those with a hit
  Time lead{};                   // time from the request to the first hit, summed over ahead_used
  std::size_t state_bytes = 0;   // memory of the predictor; over several ranks, the largest
  std::int64_t spent_ns = 0;     // processor time of the sends and the scoring; 0: not measured

  // Ratios; 0 if the divisor is 0.
  double hit_rate() const { return ratio(hits, sends); }
  double requests_per_message() const { return ratio(requests, sends); }
  /// Fraction of the requests ahead that were used.
  double accuracy() const { return ratio(ahead_used, ahead); }
  Time mean_lead() const {
    return ahead_used == 0 ? Time{} : Time{lead.ps / static_cast<std::int64_t>(ahead_used)};
  }
  double ns_per_event() const {
    return ratio(static_cast<std::uint64_t>(spent_ns < 0 ? 0 : spent_ns), sends);
  }
  /// Fraction of the time held that was unused.
  double waste() const {
    return held == Time{} ? 0.0 : static_cast<double>(held_unused.ps) / static_cast<double>(held.ps);
  }

  /// Adds the score of another rank.
  void add(const PredictorScore& other);

 private:
  static double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Evaluation on the stream of one source: call send() for each message in time order, then finish() once.
/// Timed decisions of the predictor take effect at their time, at equal times before the send. A time before
/// the previous one counts as the previous one. A flush, and finish(), end all holdings.
class PredictorEvaluation {
 public:
  /// Throws UserError for an unknown predictor or an invalid shape.
  PredictorEvaluation(const std::string& name, const PredictorShape& shape);
  ~PredictorEvaluation();
  PredictorEvaluation(PredictorEvaluation&&) noexcept;
  void send(Time at, Port destination, Bytes bytes, std::uint64_t site);
  /// The source begins phase number `phase` (Predictor::on_phase).
  void phase(Time at, std::uint32_t phase);
  void flush(Time at);
  PredictorScore finish(Time end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hybrid
