#include "emulator/network/repetition.h"

#include <algorithm>

namespace hybrid {

namespace {

constexpr std::uint64_t kFewRuns = 128;  // queues of more runs are compared by the words that enter and leave
constexpr std::uint64_t kUnlimitedTimes = std::uint64_t{1} << 40;

Time from_saved(std::uint64_t value) { return {static_cast<std::int64_t>(value)}; }
std::uint64_t to_saved(Time at) { return static_cast<std::uint64_t>(at.ps); }
std::int64_t as_signed(std::uint64_t n) { return static_cast<std::int64_t>(n); }

bool earlier(const SwitchEvent& x, const SwitchEvent& y) {
  return x.at != y.at ? x.at < y.at : x.order < y.order;
}
bool same_event(const SwitchEvent& x, const SwitchEvent& y) {
  return x.kind() == y.kind() && x.a == y.a && x.b == y.b;
}

}  // namespace

void StateVisitor::begin_save(Time now) {
  mode_ = Mode::save;
  outcome_ = Outcome::repeats;
  began_ = now;
  saved_.clear();
}

void StateVisitor::begin_compare(Time now) {
  mode_ = Mode::compare;
  outcome_ = Outcome::repeats;
  now_ = now;
  period_ = now - began_;
  horizon_ = ahead_ = Time::never();
  lead_ = Time{};
  times_ = kUnlimitedTimes;
  next_ = 0;
}

void StateVisitor::begin_repeat(std::uint64_t times) {
  mode_ = Mode::repeat;
  repeats_ = times;
  by_ = period_ * as_signed(times);
  next_ = 0;
}

std::uint64_t StateVisitor::times() const {
  if (outcome_ != Outcome::repeats) return 0;
  const Time end = ahead_ == Time::never() ? horizon_ : std::min(horizon_, ahead_ - settle_ - lead_);
  if (end <= now_) return 0;
  if (end == Time::never()) return times_;
  return std::min(times_, static_cast<std::uint64_t>((end - now_ - picoseconds(1)) / period_));
}

/// Handles an instant that did not move.
void StateVisitor::note_fixed_instant(Time at) {
  if (at == Time::never() || at + settle_ + period_ <= began_) return;
  if (at > now_ + settle_)
    ahead_ = std::min(ahead_, at);
  else
    mark_unsettled();
}

void StateVisitor::instant(Time& at) {
  if (mode_ == Mode::save) return saved_.push_back(to_saved(at));
  const Time before = from_saved(next_saved());
  if (mode_ == Mode::repeat) {
    if (at != before) at += by_;
  } else if (at == before) {
    note_fixed_instant(at);
  } else if (before == Time::never() || at == Time::never() || at - before != period_) {
    outcome_ = Outcome::differs;
  } else {
    note_moving_instant(at);
  }
}

std::uint64_t StateVisitor::total(std::uint64_t& sum) {
  if (mode_ == Mode::save) return saved_.push_back(sum), 0;
  const std::uint64_t grown = sum - next_saved();
  if (mode_ == Mode::repeat) sum += grown * repeats_;
  return grown;
}

void StateVisitor::plenty(std::uint64_t& words) {
  if (mode_ == Mode::save) return saved_.push_back(words);
  const std::uint64_t before = next_saved();
  if (before == words) return;
  const std::uint64_t fewer = before - words;
  if (mode_ == Mode::repeat) {
    words -= fewer * repeats_;
  } else if (before < words || words < margin_ + 2 * fewer) {
    outcome_ = Outcome::differs;
  } else {
    limit_times((words - margin_ - 2 * fewer) / fewer);
  }
}

void StateVisitor::turn(std::uint32_t& pointer, std::uint32_t size, bool matters) {
  if (mode_ == Mode::save) return saved_.push_back(pointer);
  const auto before = static_cast<std::uint32_t>(next_saved());
  if (mode_ == Mode::compare) {
    if (matters && before != pointer) outcome_ = Outcome::differs;
  } else {
    const std::uint64_t ahead = (pointer + size - before) % size;
    pointer = static_cast<std::uint32_t>((pointer + ahead * (repeats_ % size)) % size);
  }
}

// ---- Words

void StateVisitor::words(RunQueue& queue) {
  if (mode_ == Mode::save) {
    saved_.push_back(queue.pushed());
    saved_.push_back(queue.popped());
    saved_.push_back(queue.runs() <= kFewRuns ? queue.runs() : kFewRuns + 1);
    if (queue.runs() > kFewRuns) return;
    for (std::size_t r = 0; r < queue.runs(); ++r) {
      const Run& run = queue.run(r);
      saved_.push_back(to_saved(run.first));
      saved_.push_back(to_saved(run.step));
      saved_.push_back(run.count);
    }
    return;
  }
  if (failed()) return;
  const std::uint64_t in = queue.pushed() - next_saved();
  const std::uint64_t out = queue.popped() - next_saved();
  const std::uint64_t first_run = next_;
  const std::uint64_t runs = next_saved();
  if (runs <= kFewRuns) next_ += 3 * runs;
  if (mode_ == Mode::compare) {
    compare_words(queue, in, out, first_run);
  } else if (in != 0 || out != 0) {
    if (is_shifted(queue, first_run)) {
      queue.delay(by_);
      queue.add_passed(in * repeats_);
    } else {
      repeat_words(queue, in, out);
    }
  }
}

/// Whether `queue` equals the queue saved at `first_run`, later by the period.
bool StateVisitor::is_shifted(const RunQueue& queue, std::uint64_t first_run) const {
  if (saved_[first_run] != queue.runs() || queue.runs() > kFewRuns) return false;
  for (std::size_t r = 0; r < queue.runs(); ++r) {
    const std::uint64_t* saved = &saved_[first_run + 1 + 3 * r];
    const Run& run = queue.run(r);
    if (run.first - from_saved(saved[0]) != period_ || to_saved(run.step) != saved[1] ||
        run.count != saved[2])
      return false;
  }
  return true;
}

/// Compares a queue that `in` words entered and `out` words left in the period.
void StateVisitor::compare_words(const RunQueue& queue, std::uint64_t in, std::uint64_t out,
                                 std::uint64_t first_run) {
  if (in == 0 && out == 0) {
    if (queue.empty()) return;
    note_fixed_instant(queue.front().first);
    return note_fixed_instant(queue.at(margin_ - 1));
  }
  if (in != 0 && !queue.empty()) note_moving_instant(queue.back().last());
  if (is_shifted(queue, first_run)) return;
  if (out == 0 || queue.empty()) {
    outcome_ = Outcome::differs;
    return;
  }
  const Run& front = queue.front();
  const std::uint64_t ahead = out + margin_;  // words that one period reads
  note_moving_instant(front.at(std::min(ahead, front.count - 1)));
  const Time comes = front.step * as_signed(out);
  // The words enter at the rate at which they leave: the next `out` words are those of the previous period,
  // later by the period. (The words that enter behind them do so again.)
  const bool front_shifted = saved_[first_run] != 0 && saved_[first_run] <= kFewRuns && comes == period_ &&
                             front.first - from_saved(saved_[first_run + 1]) == period_ &&
                             to_saved(front.step) == saved_[first_run + 2];
  if (front_shifted && front.count > 2 * ahead) return limit_times((front.count - 2 * ahead) / out);
  // Otherwise all words that left must have been in the queue for long.
  if (!settled_before_period(front.first)) return mark_unsettled();
  // At least as many words enter as leave: after `periods` periods the word that entered last has been there
  // for long; until then there are enough words that have been there for long already.
  if (in >= out) {
    const Time late = queue.back().last() + settle_ - now_;
    const std::uint64_t periods =
        late <= Time{} ? 0 : static_cast<std::uint64_t>((late + period_ - picoseconds(1)) / period_);
    const Time enough = queue.at((periods + 1) * out + margin_);
    if (enough != Time::never() && enough + settle_ <= now_ && queue.size() > ahead + periods * in) return;
  }
  // The words entered at least as fast as they leave: each waits longer than the one before.
  if (comes <= period_ && front.count > 2 * ahead && front.at(ahead) + settle_ <= now_)
    return limit_times((front.count - 2 * ahead) / out);
  std::uint64_t there = 0;
  for (std::size_t r = 0; r < queue.runs(); ++r) {
    const Run& run = queue.run(r);
    if (run.last() + settle_ > now_) break;
    there += run.count;
  }
  if (there <= 2 * ahead) return mark_unsettled();
  limit_times((there - 2 * ahead) / out);
}

void StateVisitor::repeat_words(RunQueue& queue, std::uint64_t in, std::uint64_t out) {
  if (in != 0) {
    entries_.clear();
    queue.copy_last(in, entries_);
    const Run& only = entries_.front();
    if (entries_.size() == 1 && only.step * as_signed(in) == period_) {
      queue.push({only.first + period_, only.step, in * repeats_});
    } else {
      // Words that enter and leave within the skipped periods are counted only.
      const std::uint64_t leave = out * repeats_, size = queue.size();
      const std::uint64_t through = leave > size ? (leave - size) / in : 0;
      if (through != 0) queue.pop_all(size);
      for (std::uint64_t k = through + 1; k <= repeats_; ++k)
        for (const Run& run : entries_) queue.push(run.delayed(period_ * as_signed(k)));
      queue.add_passed(through * in);
      return queue.pop_all(through != 0 ? leave - size - through * in : leave);
    }
  }
  queue.pop_all(out * repeats_);
}

void StateVisitor::messages(Ring<Segment>& segments) {
  same(segments.size());
  if (segments.empty() || failed()) return;
  same(segments.front().transfer);
  same(segments.back().transfer);
  same(segments.front().begun ? 1 : 0);
  plenty(segments.front().words);
}

void StateVisitor::queue(WordQueue& queue) {
  same(queue.finished() ? 1 : 0);
  if (queue.finished() || failed()) return;  // its places matter at an offer only, which is not steady
  words(queue.entered);
  if (queue.bounded) words(queue.room);
  messages(queue.segments);
}

// ---- Events

void StateVisitor::events(EventQueue& events) {
  if (mode_ == Mode::save) {
    events.copy_to(saved_events_);
    std::sort(saved_events_.begin(), saved_events_.end(), earlier);
  } else if (mode_ == Mode::compare) {
    compare_events(events);
  } else {
    events.postpone(by_, [this](const SwitchEvent& event) {
      for (const SwitchEvent& stays : waiting_)
        if (stays.at == event.at && stays.order == event.order) return false;
      return true;
    });
  }
}

/// Compares the events with the saved ones: each must be later by the period, or unchanged.
void StateVisitor::compare_events(EventQueue& events) {
  outcome_ = Outcome::differs;
  if (saved_events_.size() != events.size() || saved_events_.empty()) return;
  if (events.next() - saved_events_.front().at != period_ || !same_event(events.top(), saved_events_.front()))
    return;
  events.copy_to(events_);
  std::sort(events_.begin(), events_.end(), earlier);
  waiting_before_.clear();
  waiting_.clear();
  std::size_t i = 0, j = 0;
  while (i < events_.size() && j < saved_events_.size()) {
    const SwitchEvent& now = events_[i];
    const SwitchEvent& before = saved_events_[j];
    const bool together = now.at - before.at == period_ && now.kind() == before.kind();
    if (together && same_event(now, before)) {
      ++i;
      ++j;
    } else if (now.at - before.at > period_ ||
               (now.at - before.at == period_ && now.kind() >= before.kind())) {
      waiting_before_.push_back(before);
      ++j;
    } else {
      waiting_.push_back(now);
      ++i;
    }
  }
  for (; i < events_.size(); ++i) waiting_.push_back(events_[i]);
  for (; j < saved_events_.size(); ++j) waiting_before_.push_back(saved_events_[j]);
  if (waiting_.size() != waiting_before_.size()) return;
  for (std::size_t k = 0; k < waiting_.size(); ++k) {
    if (waiting_[k].at != waiting_before_[k].at || !same_event(waiting_[k], waiting_before_[k])) return;
    horizon_ = std::min(horizon_, waiting_[k].at);
  }
  outcome_ = Outcome::repeats;
}

}  // namespace hybrid
