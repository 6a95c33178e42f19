#include "predictor/evaluation.h"

#include <algorithm>
#include <utility>

namespace hybrid {

void PredictorScore::add(const PredictorScore& other) {
  if (predictor.empty()) {
    predictor = other.predictor;
    capacity = other.capacity;
  }
  sends += other.sends;
  hits += other.hits;
  requests += other.requests;
  releases += other.releases;
  held += other.held;
  held_unused += other.held_unused;
  ahead += other.ahead;
  ahead_used += other.ahead_used;
  lead += other.lead;
  spent_ns += other.spent_ns;
  state_bytes = std::max(state_bytes, other.state_bytes);
}

struct PredictorEvaluation::State {
  // The current holding of a destination, if `held`.
  struct Holding {
    Time since{};
    bool held = false;
    bool hit = false;
    bool ahead = false;
  };

  std::unique_ptr<Predictor> predictor;
  PredictorScore score;
  std::vector<Holding> holdings;
  Time now{};

  void close(Holding& holding, Time at) {
    const Time duration = at - holding.since;
    score.held += duration;
    if (!holding.hit) score.held_unused += duration;
    holding = {};
  }
  void close_all(Time at) {
    for (Holding& holding : holdings)
      if (holding.held) close(holding, at);
  }
  // `sent`: the destination of a send at this time, or kNoPort.
  void apply(const Predictor::Decisions& decisions, Time at, Port sent) {
    for (Port d : decisions.release) close(holdings[d], at);
    for (Port d : decisions.request) {
      holdings[d] = {at, true, false, d != sent};
      if (d != sent) ++score.ahead;
    }
    score.releases += decisions.release.size();
    score.requests += decisions.request.size();
  }
  // Applies the predictor's timed decisions up to `at`, each at its time.
  void advance(Time at) {
    now = std::max(now, at);
    for (Time due = predictor->next_deadline(); due <= now && due != Time::never();
         due = predictor->next_deadline())
      apply(predictor->on_time(due), due, kNoPort);
  }
};

PredictorEvaluation::PredictorEvaluation(const std::string& name, const PredictorShape& shape)
    : state_(std::make_unique<State>()) {
  state_->predictor = PredictorRegistration::make(name, shape);
  state_->score.predictor = name;
  state_->score.capacity = shape.capacity;
  state_->score.state_bytes = state_->predictor->state_bytes();
  state_->holdings.resize(shape.destinations);
}

PredictorEvaluation::~PredictorEvaluation() = default;
PredictorEvaluation::PredictorEvaluation(PredictorEvaluation&&) noexcept = default;

void PredictorEvaluation::send(Time at, Port destination, Bytes bytes, std::uint64_t site) {
  State& s = *state_;
  s.advance(at);
  ++s.score.sends;
  if (State::Holding& holding = s.holdings[destination]; holding.held) {
    ++s.score.hits;
    if (holding.ahead && !holding.hit) {
      ++s.score.ahead_used;
      s.score.lead += s.now - holding.since;
    }
    holding.hit = true;
  }
  s.apply(s.predictor->on_send(s.now, destination, bytes, site), s.now, destination);
}

void PredictorEvaluation::phase(Time at, std::uint32_t phase) {
  state_->advance(at);
  state_->apply(state_->predictor->on_phase(state_->now, phase), state_->now, kNoPort);
}

void PredictorEvaluation::flush(Time at) {
  state_->advance(at);
  state_->close_all(state_->now);
  state_->predictor->on_flush();
}

PredictorScore PredictorEvaluation::finish(Time end) {
  state_->advance(end);
  state_->close_all(state_->now);
  return std::move(state_->score);
}

}  // namespace hybrid
