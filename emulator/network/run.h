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

/// Queue of words as runs. The instants of the words never decrease.
class RunQueue {
 public:
  bool empty() const { return runs_.empty(); }
  const Run& front() const { return runs_.front(); }
  const Run& back() const { return runs_.back(); }
  std::size_t runs() const { return runs_.size(); }
  const Run& run(std::size_t r) const { return runs_[r]; }
  /// Words in the queue, and the numbers of words pushed and popped so far.
  std::uint64_t size() const { return pushed_ - popped_; }
  std::uint64_t pushed() const { return pushed_; }
  std::uint64_t popped() const { return popped_; }

  /// Appends words. Joins them with the last run if the result is exact, so that a constant rate is one run.
  void push(const Run& run) {
    if (run.count == 0) return;
    pushed_ += run.count;
    if (!runs_.empty()) {
      Run& back = runs_.back();
      const Time gap = run.first - back.last();
      const bool fits_back = back.count == 1 || back.step == gap;
      const bool fits_run = run.count == 1 || run.step == gap;
      if (fits_back && fits_run) {
        back.step = gap;
        back.count += run.count;
        return;
      }
    }
    runs_.push(run);
  }

  /// Removes the first `words` words. Requires: they are in the front run.
  void pop(std::uint64_t words) {
    Run& front = runs_.front();
    front.first = front.at(words);
    front.count -= words;
    popped_ += words;
    if (front.count == 0) runs_.pop();
  }
  /// Removes the first `words` words, of any number of runs.
  void pop_all(std::uint64_t words) {
    while (words > 0) {
      const std::uint64_t here = std::min(words, runs_.front().count);
      pop(here);
      words -= here;
    }
  }

  /// Joins the runs up to `t` into one at the last of their instants. Requires: no word is taken before `t`.
  void merge_past(Time t) {
    if (runs_.size() < 2 || runs_[1].last() > t) return;
    std::uint64_t words = 0;
    for (; runs_.size() > 1 && runs_[1].last() <= t; runs_.pop()) words += runs_.front().count;
    Run& front = runs_.front();
    front = {front.last(), Time{}, front.count + words};
  }

  /// Appends the last `words` words to `runs`. Requires: words <= size().
  void copy_last(std::uint64_t words, std::vector<Run>& runs) const {
    std::size_t r = runs_.size();
    std::uint64_t there = 0;
    while (there < words) there += runs_[--r].count;
    for (; r < runs_.size(); ++r) {
      const std::uint64_t before = there > words ? there - words : 0;
      runs.push_back({runs_[r].at(before), runs_[r].step, runs_[r].count - before});
      there = words;
    }
  }

  /// Makes all words later by `by`.
  void delay(Time by) {
    for (std::size_t r = 0; r < runs_.size(); ++r) runs_[r].first += by;
  }
  /// Counts `words` words as pushed and popped.
  void add_passed(std::uint64_t words) {
    pushed_ += words;
    popped_ += words;
  }

  /// The instant of the i-th word from the front; Time::never() if i >= size().
  Time at(std::uint64_t i) const {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (i < runs_[r].count) return runs_[r].at(i);
      i -= runs_[r].count;
    }
    return Time::never();
  }

 private:
  Ring<Run> runs_;
  std::uint64_t pushed_ = 0, popped_ = 0;
};

/// Serves the words of `in` in order: each starts when it is there and `spacing` (> 0) after the previous
/// start, and none starts after `latest`. `free` is the earliest start of the first word; it receives the
/// earliest start of the next word. Calls `emit(Run)` with the starts, in order, at most twice. Returns the
/// number of words that started.
template <class Emit>
std::uint64_t serve_words(const Run& in, Time spacing, Time latest, Time& free, Emit&& emit) {
  std::uint64_t done = 0;
  while (done < in.count) {
    Run out{in.at(done), in.step, in.count - done};
    if (in.step <= spacing) {
      out = {std::max(free, out.first), spacing, out.count};
    } else if (free > out.first) {
      // The words are further apart than `spacing`: a backlog is served first, then each starts on arrival.
      const auto backlog = static_cast<std::uint64_t>((free - out.first) / (in.step - spacing)) + 1;
      out = {free, spacing, std::min(out.count, backlog)};
    }
    if (out.first > latest) break;
    const bool all = out.last() <= latest;
    if (!all) out.count = static_cast<std::uint64_t>((latest - out.first) / out.step) + 1;
    free = out.last() + spacing;
    done += out.count;
    emit(out);
    if (!all) break;
  }
  return done;
}

/// The later of `a` and `b`, word by word, for the words from the front for which the same of the two is the
/// later one. Requires: both have at least one word.
constexpr Run later_of(const Run& a, const Run& b) {
  const Run& low = a.first < b.first ? a : b;
  const Run& high = a.first < b.first ? b : a;
  std::uint64_t words = std::min(a.count, b.count);
  if (low.step > high.step)
    words =
        std::min(words, static_cast<std::uint64_t>((high.first - low.first) / (low.step - high.step)) + 1);
  return {high.first, a.first == b.first ? std::max(a.step, b.step) : high.step, words};
}

}  // namespace hybrid
