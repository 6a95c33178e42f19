#include "libhybrid/shim/thread.h"

#include <algorithm>

#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

constinit thread_local std::uint32_t yields_of_thread = 0;

namespace {
// With a shorter gap between two polls the program waits; with a longer one it computes.
constexpr std::uint64_t kPollMergeNs = 2'000;
// In shorter intervals the thread is assumed to run all the time: a time slice is milliseconds, and reading
// the CPU clock costs half a microsecond.
constexpr std::uint64_t kLongIntervalNs = 50'000;
}  // namespace

Thread::Thread(const std::string& journal_path, const JournalHeader& header, const RecordingRules& rules)
    : rules_(rules),
      journal_(std::make_unique<JournalWriter>(journal_path, header)),
      sites_(rules.sites),
      poll_merge_(rules.scale.ticks(kPollMergeNs)),
      long_interval_(rules.scale.ticks(kLongIntervalNs)),
      yields_seen_(yields_of_thread) {
  last_end_ = ticks();
  cpu_at_ = last_end_;
  if (rules_.cpu_clock) cpu_ns_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  append({.kind = EventKind::start}, last_end_, last_end_);
}

void Thread::poll(Ticks begin, Ticks end) {
  if (polling_ && begin - poll_end_ < poll_merge_) {
    poll_end_ = end;
  } else {
    if (polling_ || pending_compute_ != kNone) before_event();
    polling_ = true;
    poll_begin_ = begin;
    poll_end_ = end;
  }
  last_end_ = end;
  if (rules_.cpu_clock) measure_call(begin, end);
}

void Thread::append_wide(const Record& record, Ticks begin, const WideValues& values) {
  Event event;
  event.begin = begin;
  event.kind = record.kind;
  event.op = record.op;
  event.peer = record.peer;
  event.tag = record.tag;
  event.request = record.request;
  event.call_site = call_site_ & kMostCallSites;
  journal_->append(event, values);
}

void Thread::before_event() {
  // In this order: the compute time is between the polls and the next event.
  if (polling_) write_poll();
  if (pending_compute_ != kNone) {
    Event compute;
    compute.begin = pending_compute_;
    compute.kind = EventKind::extension;
    compute.op = static_cast<std::uint8_t>(Extension::compute);
    journal_->append(compute);
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
  journal_->append(event);
}

void Thread::decision(EventKind kind, std::uint32_t peer, Ticks at) {
  if (polling_ || pending_compute_ != kNone) before_event();
  append({.kind = kind, .peer = static_cast<std::int32_t>(peer)}, at, at);
}

void Thread::resume() {
  yields_seen_ = yields_of_thread;
  record({.kind = EventKind::call}, last_end_, ticks());
  cpu_at_ = last_end_;
  if (rules_.cpu_clock) cpu_ns_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
}

void Thread::finish(Ticks at, std::uint64_t ticks_per_second) {
  record({.kind = EventKind::finish}, std::max(at, last_end_), std::max(at, last_end_));
  journal_->set_ticks_per_second(ticks_per_second);
  lost_ = journal_->lost();
  journal_->close();
}

void Thread::measure_gap(Ticks now) {
  const bool measured_before = cpu_at_ > last_end_;  // by a call without an event
  if (!measured_before && now - last_end_ < long_interval_) return;
  const std::uint64_t cpu = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  const Ticks since = std::max(last_end_, cpu_at_);
  const std::uint64_t then =
      measured_before ? cpu_ns_ : cpu_ns_ + rules_.scale.nanoseconds(last_end_ - cpu_at_);
  const std::uint64_t ran = cpu > then ? std::min(cpu - then, rules_.scale.nanoseconds(now - since)) : 0;
  pending_compute_ = (measured_before && pending_compute_ != kNone ? pending_compute_ : 0) + ran;
  cpu_ns_ = cpu;
  cpu_at_ = now;
}

void Thread::measure_call(Ticks begin, Ticks end) {
  // A call that yielded did not run all the time, even if it was short.
  if (end - begin < long_interval_ && yields_seen_ == yields_of_thread) return;
  yields_seen_ = yields_of_thread;
  cpu_ns_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  cpu_at_ = end;
}

void Thread::report_loss() { warn_of_full_disk(); }

}  // namespace hybrid::shim
