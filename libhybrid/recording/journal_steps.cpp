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

bool JournalSteps::peek(JournalRecord& record, std::optional<std::uint64_t>& compute_ns) const {
  const Event* wide = nullptr;
  compute_ns.reset();
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const Event& event = rest_[i];
    if (event.kind != EventKind::extension) {
      record = {&event, rest_.first(i), wide_values(event, wide)};
      return true;
    }
    if (event.op == static_cast<std::uint8_t>(Extension::wide)) wide = &event;
    if (event.op == static_cast<std::uint8_t>(Extension::compute)) compute_ns = event.begin;
  }
  return false;
}

void JournalSteps::skip(const JournalRecord& record) { rest_ = rest_.subspan(record.extensions.size() + 1); }

bool JournalSteps::next(JournalStep& step) {
  step.records.clear();
  JournalRecord record;
  if (!peek(record, step.compute_ns)) return false;
  skip(record);
  step.is_call = place(record.event->kind) == Place::call;
  step.begin = record.event->begin;
  step.end = record.end();
  step.records.push_back(record);
  if (!step.is_call) return true;
  // A measured compute time always starts a new step.
  for (std::optional<std::uint64_t> compute; peek(record, compute) && !compute.has_value(); skip(record)) {
    const Event& event = *record.event;
    if (place(event.kind) == Place::between) break;
    if (event.begin >= step.end && event.begin != step.begin) break;
    step.records.push_back(record);
    if (place(event.kind) == Place::call) step.end = std::max(step.end, record.end());
  }
  return true;
}

JournalCursor::JournalCursor(const Recording::Thread& recorded)
    : process(recorded.process), thread(recorded.thread), journal(recorded.journal), steps(journal.events()) {
  next();
}

void JournalCursor::next() {
  has_step = steps.next(step);
  if (has_step && ++count % kForgetAfter == 0) journal.forget_before(step.first());
}

}  // namespace hybrid
