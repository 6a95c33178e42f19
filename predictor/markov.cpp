#include "predictor/markov.h"

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
      held_(name, shape, kAhead),
      order_(order) {}

void Markov::plan() {
  std::uint32_t before = before_last_, last = last_;
  const Entry* entry = transitions_.find(context(before, last));
  if (entry == nullptr) return;
  for (std::size_t i = 0; i < TransitionTable::kSuccessors && !held_.is_full(); ++i) {
    if (!regular(*entry, i)) break;
    held_.add(entry->successor[i]);
  }
  for (std::size_t step = 1; step < kAhead && !held_.is_full() && certain(*entry); ++step) {
    before = last;
    last = entry->successor[0];
    entry = transitions_.find(context(before, last));
    if (entry == nullptr || !certain(*entry)) return;
    held_.add(entry->successor[0]);
  }
}

Predictor::Decisions Markov::on_send(Time, Port destination, Bytes, std::uint64_t) {
  if (last_ != kNowhere) transitions_.learn(context(before_last_, last_), destination);
  before_last_ = last_;
  last_ = static_cast<std::uint16_t>(destination);

  held_.begin(destination);
  plan();
  return held_.commit();
}

void Markov::on_flush() {
  held_.clear();
  last_ = before_last_ = kNowhere;
}

}  // namespace hybrid
