// TDM cycles that repeat: how a long message goes through its slots in a few steps
// (emulator/tdm/predictive_circuits.h has the rules).
//
// One whole cycle is observed, going slot by slot. The next one is the same if nothing but the begin of slots
// happened in it, the sequence of slots and the fabric's configurations had come round already when it began,
// and each connection that sent will send as much again. It does when its words still come from the same run
// and, with w words sent per cycle, either
// - they come at the very rate at which they leave, w steps a cycle: then all is as it was one cycle ago; or
// - they come faster, and its words filled all its windows: then they are there even earlier next time.
#include <algorithm>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

void PredictiveCircuits::forget_cycle() {
  cycle_.state = Cycle::State::none;
  forget_repetition();
}

/// `c` held the grant and sent `words` in this window.
void PredictiveCircuits::note_sent(Circuit& c, std::uint64_t words) {
  if (c.observed_in != cycle_.number) {
    c.observed_in = cycle_.number;
    c.sent = 0;
    c.filled = true;
    senders_.push_back(&c);
  }
  c.sent += words;
  const Time width = std::max(Time{}, window_.close - window_.open);
  c.filled = c.filled && words == static_cast<std::uint64_t>(width / timing_.word);
}

/// A window with a long message in it was seen: a cycle may begin or end here.
void PredictiveCircuits::observe_cycle(Time now) {
  long_waits_ = false;
  if (cycle_.state == Cycle::State::repeats || !cycles_repeat() || window_.number < periodic_from_) return;
  const Time to_boundary = controller_.boundary() - now;
  if (cycle_.state == Cycle::State::observed) {
    const bool came_round = cycle_.previous == controller_.previous() && cycle_.to_boundary == to_boundary &&
                            cycle_.upcoming == upcoming_.size() && observed_ == controller_.memory();
    if (came_round) {
      cycle_.state = Cycle::State::repeats;
      cycle_.length = now - cycle_.began;
      cycle_.slots_used = slots_used_ - cycle_.slots_used;
      cycle_.begun = controller_.slots_begun() - cycle_.begun;
      cycle_.grants = controller_.grants() - cycle_.grants;
      return look_for_repetition();
    }
    if (controller_.slots_begun() - cycle_.begun <= parameters_.slots + 1) return;
  }
  cycle_ = {Cycle::State::observed,
            cycle_.number + 1,
            now,
            {},
            to_boundary,
            controller_.previous(),
            upcoming_.size(),
            slots_used_,
            controller_.slots_begun(),
            controller_.grants()};
  observed_ = controller_.memory();
  senders_.clear();
}

/// In how many cycles, one after the other, `c` sends as in the observed one, and no last word of a message.
std::uint64_t PredictiveCircuits::cycles_ahead(const Circuit& c) const {
  if (c.finished() || c.entered.empty() || c.sent == 0) return 0;
  const Run& data = c.entered.front();
  const Time comes = data.step * static_cast<std::int64_t>(c.sent);
  if (comes > cycle_.length || (comes < cycle_.length && !c.filled)) return 0;
  return (std::min(c.segments.front().words, data.count) - 1) / c.sent;
}

Engine::Repetition PredictiveCircuits::repetition() {
  if (cycle_.state != Cycle::State::repeats) return {};
  Time horizon = Time::never();
  for (const SwitchEvent& event : events_.all())
    if (event.kind() != kBoundary && event.kind() != kWindow) horizon = std::min(horizon, event.at);
  std::uint64_t times = ~std::uint64_t{0};
  for (const Circuit* c : senders_) times = std::min(times, cycles_ahead(*c));
  if (senders_.empty() || horizon <= now_) times = 0;
  if (horizon != Time::never() && times != 0)
    times = std::min(times, static_cast<std::uint64_t>((horizon - now_ - picoseconds(1)) / cycle_.length));
  const Repetition result{cycle_.length, times};
  if (times == 0) forget_cycle();
  return result;
}

void PredictiveCircuits::repeat(const Repetition& taken) {
  const Time by = taken.period * static_cast<std::int64_t>(taken.times);
  const auto later = [by](Window& window) {
    window.seen += by;
    window.open += by;
    window.close += by;
  };
  later(window_);
  for (std::size_t i = 0; i < upcoming_.size(); ++i) later(upcoming_[i]);
  known_until_ += by;
  for (Circuit* c : senders_) {
    const std::uint64_t words = c->sent * taken.times;
    c->entered.pop(words);
    c->segments.front().words -= words;
    c->segments.front().begun = true;
    c->gone += by;
    c->used_in += by;
    link_free_[c->connection.source] = std::max(link_free_[c->connection.source], c->gone);
  }
  slots_used_ += cycle_.slots_used * taken.times;
  controller_.repeat(taken.times, cycle_.length, cycle_.begun, cycle_.grants);
  events_.put_off(
      by, [](const SwitchEvent& event) { return event.kind() == kBoundary || event.kind() == kWindow; });
}

}  // namespace hybrid
