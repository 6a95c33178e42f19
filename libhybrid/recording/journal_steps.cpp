#include "libhybrid/recording/journal_steps.h"

#include <algorithm>

namespace hybrid {

namespace {

enum class Place : std::uint8_t {
  call,     // time in the MPI library
  within,   // a hint that may be inside a call
  between,  // ends a call, since regions nest with calls
};

Place place(EventKind kind) {
  switch (kind) {
    case EventKind::phase_begin:
    case EventKind::phase_end:
    case EventKind::hint:
      return Place::between;
    case EventKind::flush:
    case EventKind::predict_request:
    case EventKind::predict_release:
      return Place::within;
    default:
      return Place::call;
  }
}

}  // namespace

bool JournalSteps::peek() {
  if (!ahead_.empty()) return true;
  compute_ns_.reset();
  std::size_t wide = 0;  // number of the last one, from 1
  for (Event event; events_.next(event);) {
    ahead_.push_back(event);
    if (event.kind != EventKind::extension) {
      values_ = wide_values(event, wide == 0 ? nullptr : &ahead_[wide - 1]);
      return true;
    }
    if (event.op == static_cast<std::uint8_t>(Extension::wide)) wide = ahead_.size();
    if (event.op == static_cast<std::uint8_t>(Extension::compute)) compute_ns_ = event.begin;
  }
  ahead_.clear();
  return false;
}

void JournalSteps::take(JournalStep& step) {
  step.records.push_back({&ahead_.back(), std::span(ahead_).first(ahead_.size() - 1), values_});
  step.events.insert(step.events.end(), ahead_.begin(), ahead_.end());
  ahead_.clear();
}

bool JournalSteps::next(JournalStep& step) {
  step.records.clear();
  step.events.clear();
  if (!peek()) return false;
  const auto end_of = [this] { return ahead_.back().begin + values_.duration; };
  step.compute_ns = compute_ns_;
  step.is_call = place(ahead_.back().kind) == Place::call;
  step.begin = ahead_.back().begin;
  step.end = end_of();
  take(step);
  // A measured compute time always starts a new step.
  while (step.is_call && peek() && !compute_ns_.has_value()) {
    const Event& event = ahead_.back();
    if (place(event.kind) == Place::between) break;
    if (event.begin >= step.end && event.begin != step.begin) break;
    if (place(event.kind) == Place::call) step.end = std::max(step.end, end_of());
    take(step);
  }
  const Event* first = step.events.data();
  for (JournalRecord& record : step.records) {
    record.extensions = {first, record.extensions.size()};
    record.event = first + record.extensions.size();
    first = record.event + 1;
  }
  return true;
}

JournalCursor::JournalCursor(const Recording::Thread& recorded)
    : process(recorded.process), thread(recorded.thread), journal(recorded.journal), steps(journal.events()) {
  next();
}

void JournalCursor::next() { has_step = steps.next(step); }

}  // namespace hybrid
