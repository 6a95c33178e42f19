// Scores a predictor on a stream of sends, without a network: what would have been established when a message
// left?
//
// Every request is granted at once (capacity is the predictor's own); so the score is the predictor's alone.
#pragma once

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
  double hit_rate() const {
    return sends == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(sends);
  }

  void add(const PredictorScore& other);  // sums over ranks
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
  void flush(Time at);
  PredictorScore finish(Time end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hybrid
