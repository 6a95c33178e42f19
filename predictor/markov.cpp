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

bool Markov::planned(Port destination) const {
  const auto end = plan_.begin() + static_cast<std::ptrdiff_t>(planned_);
  return std::find(plan_.begin(), end, destination) != end;
}

void Markov::plan(Port destination) {
  plan_[0] = destination;
  planned_ = 1;
  std::uint32_t before = before_last_, last = last_;
  const Entry* entry = transitions_.find(context(before, last));
  if (entry == nullptr) return;
  for (std::size_t i = 0; i < TransitionTable::kSuccessors && planned_ < most_planned_; ++i) {
    if (!regular(*entry, i)) break;
    if (!planned(entry->successor[i])) plan_[planned_++] = entry->successor[i];
  }
  for (std::size_t step = 1; step < kAhead && planned_ < most_planned_ && certain(*entry); ++step) {
    before = last;
    last = entry->successor[0];
    entry = transitions_.find(context(before, last));
    if (entry == nullptr || !certain(*entry)) return;
    if (!planned(entry->successor[0])) plan_[planned_++] = entry->successor[0];
  }
}

Predictor::Decisions Markov::on_send(Time, Port destination, Bytes, std::uint64_t) {
  if (last_ != kNowhere) transitions_.learn(context(before_last_, last_), destination);
  before_last_ = last_;
  last_ = static_cast<std::uint16_t>(destination);
  plan(destination);

  std::size_t released = 0, requested = 0;
  const auto release = [&](Port d) { released_[released++] = d; };
  held_.count_send();
  // Farthest first, so that the nearest is the newest. All that is planned is renewed before anything makes
  // place: a destination is never dropped for another one and requested again in the same call.
  std::array<bool, 1 + kAhead> missing{};
  for (std::size_t i = planned_; i-- > 0;) {
    missing[i] = !held_.holds(plan_[i]);
    if (missing[i])
      requested_[requested++] = plan_[i];
    else
      held_.renew(plan_[i]);
  }
  held_.drop_stale(release);
  if (requested != 0) {
    for (std::size_t i = planned_; i-- > 0;) {
      if (missing[i])
        held_.add(plan_[i], release);
      else
        held_.renew(plan_[i]);
    }
    std::reverse(requested_.begin(), requested_.begin() + static_cast<std::ptrdiff_t>(requested));
  }
  return {{released_.data(), released}, {requested_.data(), requested}};
}

void Markov::on_flush() {
  held_.clear();
  last_ = before_last_ = kNowhere;
}

}  // namespace hybrid
