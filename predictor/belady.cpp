#include "predictor/belady.h"

#include <algorithm>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kNoUse = 0xFFFFFFFFu;

// Held destinations by their next use, the latest on top. Entries with a next use in the past are at the
// bottom; they are removed when they are as many as the others.
class NextUses {
 public:
  struct Entry {
    std::uint32_t next, last;
    bool operator<(const Entry& other) const { return next < other.next; }
  };

  void add(Entry entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end());
  }
  Entry take_latest() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Entry latest = heap_.back();
    heap_.pop_back();
    return latest;
  }
  void forget_past(std::uint32_t now, std::size_t held) {
    if (heap_.size() < 2 * held + 16) return;
    std::erase_if(heap_, [now](const Entry& e) { return e.next <= now; });
    std::make_heap(heap_.begin(), heap_.end());
  }
  void clear() { heap_.clear(); }

 private:
  std::vector<Entry> heap_;
};

}  // namespace

void BeladyBound::send(Time at, Port destination) {
  if (times_.size() == kNoUse - 1)
    throw UserError("belady: more than " + std::to_string(kNoUse - 1) + " messages from one port",
                    "Score a part of the trace.");
  times_.push_back(times_.empty() ? at : std::max(at, times_.back()));
  destinations_.push_back(destination);
}

void BeladyBound::flush(Time at) { flushes_.push_back({static_cast<std::uint32_t>(times_.size()), at}); }

// By send: the number of the next send to the same destination; kNoUse if there is none before the next
// flush.
std::vector<std::uint32_t> BeladyBound::next_uses() const {
  std::vector<std::uint32_t> next(times_.size(), kNoUse);
  std::vector<std::uint32_t> coming;  // by destination
  if (!destinations_.empty())
    coming.resize(*std::max_element(destinations_.begin(), destinations_.end()) + std::size_t{1}, kNoUse);
  auto flush = flushes_.rbegin();
  std::uint32_t end = kNoUse;  // first send after the next flush
  for (auto i = static_cast<std::uint32_t>(times_.size()); i-- > 0;) {
    while (flush != flushes_.rend() && flush->sends > i) end = flush++->sends;
    std::uint32_t& use = coming[destinations_[i]];
    if (use < end) next[i] = use;
    use = i;
  }
  return next;
}

PredictorScore BeladyBound::score(std::uint32_t capacity) const {
  PredictorScore score;
  score.predictor = kName;
  score.capacity = capacity;
  score.sends = times_.size();
  const std::vector<std::uint32_t> next = next_uses();
  std::vector<bool> kept(times_.size(), false);  // until that send
  NextUses uses;
  std::uint32_t held = 0;
  auto flush = flushes_.begin();
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    for (; flush != flushes_.end() && flush->sends <= i; ++flush) {
      uses.clear();
      held = 0;
    }
    if (kept[i]) {
      ++score.hits;
    } else {
      ++score.requests;
      if (held != 0 && held == capacity) {
        const NextUses::Entry dropped = uses.take_latest();
        --held;
        if (dropped.next != kNoUse) {
          kept[dropped.next] = false;
          score.held -= times_[dropped.next] - times_[dropped.last];
        }
      }
      ++held;
    }
    if (next[i] != kNoUse) {
      kept[next[i]] = true;
      score.held += times_[next[i]] - times_[i];
    }
    if (capacity == 0) continue;
    uses.add({next[i], i});
    uses.forget_past(i, held);
  }
  score.releases = score.requests;
  return score;
}

}  // namespace hybrid
