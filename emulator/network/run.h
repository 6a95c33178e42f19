// Runs of words, which make it possible to move a megabyte in one exact step.
//
// The instants at which consecutive words pass a point form a sequence. A component maps such sequences to
// another one by three operations: a delay, the later of two sequences word by word (data and places), and a
// least spacing. For arithmetic sequences (runs), the result of these operations is a few runs again.
// Components work on runs instead of single words; the result is the same as that of a word-by-word
// emulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/time.h"
#include "emulator/network/ring.h"

namespace hybrid {

/// `count` words at the instants first, first + step, ... (step >= 0).
struct Run {
  Time first{};
  Time step{};
  std::uint64_t count = 0;

  constexpr Time at(std::uint64_t i) const { return {first.ps + static_cast<std::int64_t>(i) * step.ps}; }
  constexpr Time last() const { return at(count - 1); }
  constexpr Run head(std::uint64_t words) const { return {first, step, std::min(words, count)}; }
  constexpr Run delayed(Time by) const { return {first + by, step, count}; }
  constexpr bool operator==(const Run&) const = default;
};

/// Queue of words as runs. The instants of the words never decrease. Most queues hold one run or none, so the
/// front run is apart from the others.
class RunQueue {
 public:
  bool empty() const { return front_.count == 0; }
  const Run& front() const { return front_; }
  const Run& back() const { return others_.empty() ? front_ : others_.back(); }
  std::size_t runs() const { return empty() ? 0 : 1 + others_.size(); }
  const Run& run(std::size_t r) const { return r == 0 ? front_ : others_[r - 1]; }
  /// Words in the queue, and the numbers of words pushed and popped so far.
  std::uint64_t size() const { return pushed_ - popped_; }
  std::uint64_t pushed() const { return pushed_; }
  std::uint64_t popped() const { return popped_; }

  /// Appends words. Joins them with the last run if the result is exact, so that a constant rate is one run.
  [[gnu::always_inline]] void push(const Run& run) {
    if (run.count == 0) return;
    pushed_ += run.count;
    if (empty())
      front_ = run;
    else
      push_behind(run);
  }

  /// Removes the first `words` words. Requires: they are in the front run.
  void pop(std::uint64_t words) {
    popped_ += words;
    if (words == front_.count && !others_.empty()) return pop_run();
    front_.first = front_.at(words);
    front_.count -= words;
  }
  /// Removes the first `words` words, of any number of runs.
  void pop_all(std::uint64_t words) {
    while (words > 0) {
      const std::uint64_t here = std::min(words, front_.count);
      pop(here);
      words -= here;
    }
  }

  /// Joins the runs up to `t` into one at the last of their instants. Requires: no word is taken before `t`.
  void merge_past(Time t) {
    if (others_.empty() || others_.front().last() > t) return;
    std::uint64_t words = 0;
    for (; !others_.empty() && others_.front().last() <= t; pop_run()) words += front_.count;
    front_ = {front_.last(), Time{}, front_.count + words};
  }

  /// Appends the last `words` words to `to`. Requires: words <= size().
  void copy_last(std::uint64_t words, std::vector<Run>& to) const {
    std::size_t r = runs();
    std::uint64_t there = 0;
    while (there < words) there += run(--r).count;
    for (; r < runs(); ++r) {
      const std::uint64_t before = there > words ? there - words : 0;
      to.push_back({run(r).at(before), run(r).step, run(r).count - before});
      there = words;
    }
  }

  /// Makes all words later by `by`.
  void delay(Time by) {
    front_.first += by;
    for (std::size_t r = 0; r < others_.size(); ++r) others_[r].first += by;
  }
  /// Counts `words` words as pushed and popped.
  void add_passed(std::uint64_t words) {
    pushed_ += words;
    popped_ += words;
  }

  /// The instant of the i-th word from the front; Time::never() if i >= size().
  Time at(std::uint64_t i) const {
    if (i < front_.count) return front_.at(i);
    i -= front_.count;
    for (std::size_t r = 0; r < others_.size(); ++r) {
      if (i < others_[r].count) return others_[r].at(i);
      i -= others_[r].count;
    }
    return Time::never();
  }

 private:
  /// Adds `run` behind the last run, or joins it with that. (By value: a caller's run stays in registers.)
  [[gnu::noinline]] void push_behind(Run run) {
    Run& back = others_.empty() ? front_ : others_.back();
    const Time gap = run.first - back.last();
    const bool fits_back = back.count == 1 || back.step == gap;
    const bool fits_run = run.count == 1 || run.step == gap;
    if (!fits_back || !fits_run) return others_.push(run);
    back.step = gap;
    back.count += run.count;
  }
  void pop_run() {
    front_ = others_.front();
    others_.pop();
  }

  Run front_;  // without words: the queue is empty
  Ring<Run, 1> others_;
  std::uint64_t pushed_ = 0, popped_ = 0;
};

/// Serves the words of `in` in order: each starts when it is there and `spacing` after the previous start,
/// and none starts after `latest`. `free` is the earliest start of the first word; it receives the earliest
/// start of the next word. Returns the starts of the first words, as many as form one run: of none if none
/// may start, otherwise of all that may, or of a backlog after which the other words start on arrival.
/// Requires: `in` has a word.
inline Run serve_words(const Run& in, Time spacing, Time latest, Time& free) {
  Run out{std::max(free, in.first), spacing, in.count};
  if (in.step > spacing) {
    // The words are further apart than `spacing`: a backlog is served first, then each starts on arrival.
    if (free > in.first)
      out.count = std::min(in.count, static_cast<std::uint64_t>((free - in.first) / (in.step - spacing)) + 1);
    else
      out.step = in.step;
  }
  if (out.last() > latest) {
    if (out.first > latest) return {out.first, out.step, 0};
    out.count = static_cast<std::uint64_t>((latest - out.first) / out.step) + 1;
  }
  free = out.last() + spacing;
  return out;
}

/// The later of `a` and `b`, word by word, for the words from the front for which the same of the two is the
/// later one. Requires: both have at least one word.
constexpr Run later_of(const Run& a, const Run& b) {
  const bool b_is_later = a.first < b.first;
  const Time low_step = b_is_later ? a.step : b.step, high_step = b_is_later ? b.step : a.step;
  const Time low = std::min(a.first, b.first), high = std::max(a.first, b.first);
  std::uint64_t words = std::min(a.count, b.count);
  if (low_step > high_step)
    words = std::min(words, static_cast<std::uint64_t>((high - low) / (low_step - high_step)) + 1);
  return {high, high_step, words};
}

}  // namespace hybrid
