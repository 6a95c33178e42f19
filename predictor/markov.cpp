#include "predictor/markov.h"

#include <algorithm>

namespace hybrid {

namespace {

using Entry = TransitionTable::Entry;

bool regular(const Entry& entry, std::size_t i) {
  return entry.count[i] >= 2 && entry.count[i] * 8 >= entry.total;
}
bool certain(const Entry& entry) { return regular(entry, 0) && entry.count[0] * 2 > entry.total; }

}  // namespace

// Contexts: one a destination, or as many pairs of destinations as programs are seen to use.
Markov::Markov(std::string_view name, unsigned order, const PredictorShape& shape)
    : transitions_(shape.destinations * (order == 1 ? std::size_t{2} : std::size_t{16})),
      held_(name, shape),
      order_(order),
      most_planned_(std::min<std::size_t>(1 + kAhead, held_.capacity())) {}

// Renews at once what is held, each below the nearer one: what is fresh is planned already.
void Markov::add_to_plan(Port destination) {
  if (held_.holds(destination)) {
    if (held_.is_fresh(destination)) return;
    held_.renew(destination, below_);
    below_ = destination;
  } else {
    for (std::size_t i = 0; i < missing_count_; ++i)
      if (plan_[missing_[i]] == destination) return;
    missing_[missing_count_++] = static_cast<std::uint8_t>(planned_);
  }
  plan_[planned_++] = destination;
}

void Markov::plan(Port destination) {
  planned_ = missing_count_ = 0;
  below_ = held_.top();
  add_to_plan(destination);
  std::uint32_t before = before_last_, last = last_;
  const Entry* entry = transitions_.find(context(before, last));
  if (entry == nullptr) return;
  for (std::size_t i = 0; i < TransitionTable::kSuccessors && planned_ < most_planned_; ++i) {
    if (!regular(*entry, i)) break;
    add_to_plan(entry->successor[i]);
  }
  for (std::size_t step = 1; step < kAhead && planned_ < most_planned_ && certain(*entry); ++step) {
    before = last;
    last = entry->successor[0];
    entry = transitions_.find(context(before, last));
    if (entry == nullptr || !certain(*entry)) return;
    add_to_plan(entry->successor[0]);
  }
}

Predictor::Decisions Markov::on_send(Time, Port destination, Bytes, std::uint64_t) {
  if (last_ != kNowhere) transitions_.learn(context(before_last_, last_), destination);
  before_last_ = last_;
  last_ = static_cast<std::uint16_t>(destination);

  std::size_t released = 0;
  const auto release = [&](Port d) { released_[released++] = d; };
  held_.count_send();
  plan(destination);
  // All that is planned and held is fresh by now, so that nothing is dropped and requested in the same call.
  held_.drop_stale(release);
  for (std::size_t i = 0; i < missing_count_; ++i) {
    const std::size_t at = missing_[i];
    held_.add(plan_[at], at == 0 ? held_.top() : plan_[at - 1], release);
    requested_[i] = plan_[at];
  }
  return {{released_.data(), released}, {requested_.data(), missing_count_}};
}

void Markov::on_flush() {
  held_.clear();
  last_ = before_last_ = kNowhere;
}

}  // namespace hybrid
