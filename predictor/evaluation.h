// Scores a predictor on a stream of sends, without a network: what would have been established when a message
// left?
//
// Every request is granted at once (capacity is the predictor's own); so the score is the predictor's alone.
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
  std::uint64_t hits = 0;                    // the destination was held when the send came
  std::uint64_t requests = 0, releases = 0;  // a flush is no release
  Time held{};                               // sum over destinations: time held
  Time held_unused{};  // of which in holdings (request to release) that saw no hit: held for nothing
  // Requests ahead: at another moment than that of a send to the destination.
  std::uint64_t ahead = 0;
  std::uint64_t ahead_used = 0;  // of which some send hit
  Time lead{};                   // of these, the sum of the times from the request to its first hit
  std::size_t state_bytes = 0;   // of the predictor; summed over ranks: the largest
  std::int64_t spent_ns = 0;     // by the processor, on the sends and this score; 0: not measured

  // Each 0 where there is nothing to divide by.
  double hit_rate() const { return ratio(hits, sends); }
  double requests_per_message() const { return ratio(requests, sends); }
  /// What part of the requests ahead were of use.
  double accuracy() const { return ratio(ahead_used, ahead); }
  Time mean_lead() const {
    return ahead_used == 0 ? Time{} : Time{lead.ps / static_cast<std::int64_t>(ahead_used)};
  }
  double ns_per_event() const {
    return ratio(static_cast<std::uint64_t>(spent_ns < 0 ? 0 : spent_ns), sends);
  }
  /// What part of the time held was held for nothing.
  double waste() const {
    return held == Time{} ? 0.0 : static_cast<double>(held_unused.ps) / static_cast<double>(held.ps);
  }

  void add(const PredictorScore& other);  // sums over ranks

 private:
  static double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Feeds one source's stream. Construct, call send for each message in time order, then finish (once). What
/// the predictor decides between sends happens at its own time; at equal times before the send. A time before
/// the previous one counts as the previous one. Holdings that are open at a flush or at the end stop there.
class PredictorEvaluation {
 public:
  /// Throws UserError for an unknown predictor, or a shape that it refuses.
  PredictorEvaluation(const std::string& name, const PredictorShape& shape);
  ~PredictorEvaluation();
  PredictorEvaluation(PredictorEvaluation&&) noexcept;
  void send(Time at, Port destination, Bytes bytes, std::uint64_t site);
  /// The source comes to the phase of that number (Predictor::on_phase).
  void phase(Time at, std::uint32_t phase);
  void flush(Time at);
  PredictorScore finish(Time end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hybrid
