#include "predictor/cycle.h"

#include <algorithm>
#include <bit>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"

namespace hybrid {

Cycle::Cycle(std::uint32_t heads)
    : known_(heads == 0 ? 0 : std::bit_ceil(std::min<std::size_t>(heads, kMostHeads))) {}

// The send `number` to `head` ended a cycle, or is the first send.
void Cycle::begin_at(Port head, std::uint32_t number) {
  has_head_ = is_forming_ = true;
  run_ = 0;
  begin_ = number;
  const Known* const old = known(head);
  if (old == nullptr || old->period == 0 || old->head != head || !log_.has(old->begin)) return;
  period_ = old->period;
  follow(old->begin, number);
}

// The send `number` is the head of a round that is expected to equal the one that began at `round`.
void Cycle::follow(std::uint32_t round, std::uint32_t number) {
  is_forming_ = false;
  begin_ = number;
  done_ = 0;
  source_ = round;
  advance();
}

// One more send of the round has occurred.
void Cycle::advance() {
  ++source_;
  if (++done_ < period_) return;
  const std::uint32_t round = begin_;
  if (Known* const k = known(log_[round]))
    *k = {round, static_cast<std::uint16_t>(period_), static_cast<std::uint16_t>(log_[round])};
  source_ = round;
  begin_ = log_.count();
  done_ = 0;
}

void Cycle::learn(Port destination, std::uint8_t, std::uint64_t) {
  const std::uint32_t number = log_.count();
  const bool expected = has_head_ && !is_forming_ && log_.has(source_) && log_[source_] == destination;
  log_.push(destination);
  if (!has_head_) return begin_at(destination, number);
  if (!is_forming_) {
    if (!expected) return begin_at(destination, number);
    run_ = std::min(run_ + 1, 127u);
    return advance();
  }
  if (log_[begin_] == destination) {
    period_ = number - begin_;
    if (Known* const k = known(destination))
      *k = {begin_, static_cast<std::uint16_t>(period_), static_cast<std::uint16_t>(destination)};
    return follow(begin_, number);
  }
  if (number - begin_ == kMostPeriod) begin_at(destination, number);
}

std::size_t Cycle::expect(std::span<Expected> out) {
  if (!has_head_ || is_forming_) return 0;
  std::uint32_t source = source_, done = done_;
  std::size_t count = 0;
  while (count < out.size() && log_.has(source)) {
    const Port d = log_[source];
    out[count] = {d, static_cast<std::uint8_t>(128 + run_), static_cast<std::uint8_t>(count + 1)};
    ++count;
    ++source;
    if (++done == period_) {
      source = begin_;  // the next round is expected to equal this one, as far as this one is known
      done = 0;
      if (!log_.has(source)) break;
    }
  }
  return count;
}

namespace {

std::unique_ptr<Predictor> make(const char* name, const PredictorShape& shape, std::uint32_t heads) {
  return std::make_unique<ForecastPredictor>(name, shape, std::make_unique<Cycle>(heads));
}

const PredictorRegistration kSingle{
    "single-cycle",
    "expects a sequence that was completed once to repeat (D 2.1.2)",
    [](const PredictorShape& shape) { return make("single-cycle", shape, 0); },
    {.options = forecast_options()}};
const PredictorRegistration kBetter{
    "better-cycle",
    "single-cycle that remembers the last cycle of each head (D 2.1.2)",
    [](const PredictorShape& shape) { return make("better-cycle", shape, shape.destinations); },
    {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
