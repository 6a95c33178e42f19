#include "libhybrid/shim/thread.h"

#include <algorithm>

#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

namespace {
// With a shorter gap between two polls the program waits; with a longer one it computes.
constexpr std::uint64_t kPollMergeNs = 2'000;
}  // namespace

Thread::Thread(const std::string& journal_path, const JournalHeader& header, const RecordingRules& rules)
    : rules_(rules),
      journal_(journal_path, header),
      sites_(rules.sites),
      compute_(rules.scale, rules.sees_switches, rules.sharing),
      poll_merge_(rules.scale.ticks(kPollMergeNs)) {
  last_end_ = ticks();
  if (rules_.cpu_clock) compute_.restart();
  append({.kind = EventKind::start}, last_end_, last_end_);
}

void Thread::poll(Ticks begin, Ticks end) {
  if (polling_ && begin - poll_end_ < poll_merge_) {
    poll_end_ = end;
    pending_compute_ = kNone;  // of the gap between the two polls
  } else {
    if (polling_ || pending_compute_ != kNone) before_event();
    polling_ = true;
    poll_begin_ = begin;
    poll_end_ = end;
  }
  last_end_ = end;
  if (rules_.cpu_clock) compute_.settle(begin, end, call_site_);
}

void Thread::append_wide(Record record, Ticks begin, Ticks duration) {
  Event event;
  event.begin = begin;
  event.kind = record.kind;
  event.op = record.op;
  event.peer = record.peer;
  event.tag = record.tag;
  event.request = record.request;
  event.call_site = call_site_ & kMostCallSites;
  if (!journal_.append(event, {record.bytes, duration, record.communicator})) report_loss();
}

void Thread::before_event() {
  // In this order: the compute time is between the polls and the next event.
  if (polling_) write_poll();
  if (pending_compute_ != kNone) {
    Event compute;
    compute.begin = pending_compute_;
    compute.kind = EventKind::extension;
    compute.op = static_cast<std::uint8_t>(Extension::compute);
    journal_.append(compute);
    pending_compute_ = kNone;
  }
}

void Thread::write_poll() {
  polling_ = false;
  append({.kind = EventKind::poll}, poll_begin_, poll_end_);
}

void Thread::extension(Extension what, std::int32_t peer, std::uint64_t value) {
  if (polling_ || pending_compute_ != kNone) before_event();
  Event event;
  event.begin = value;
  event.kind = EventKind::extension;
  event.op = static_cast<std::uint8_t>(what);
  event.peer = peer;
  journal_.append(event);
}

void Thread::decision(EventKind kind, std::uint32_t peer, Ticks at) {
  if (polling_ || pending_compute_ != kNone) before_event();
  append({.kind = kind, .peer = static_cast<std::int32_t>(peer)}, at, at);
}

void Thread::end() {
  const Ticks now = enter();
  record({.kind = EventKind::call}, now, now);
}

void Thread::resume() {
  record({.kind = EventKind::call}, last_end_, ticks());
  if (rules_.cpu_clock) compute_.restart();
}

void Thread::finish(Ticks at, std::uint64_t ticks_per_second) {
  record({.kind = EventKind::finish}, std::max(at, last_end_), std::max(at, last_end_));
  journal_.set_ticks_per_second(ticks_per_second);
  lost_ = journal_.lost();
  journal_.close();
}

void Thread::measure_gap(Ticks now) {
  const std::uint64_t away = compute_.begin_call(now);
  if (away == 0) return;
  const std::uint64_t gap = rules_.scale.nanoseconds(now - last_end_);
  pending_compute_ = gap - std::min(gap, away);
}

void Thread::report_loss() { warn_of_full_disk(); }

}  // namespace hybrid::shim
