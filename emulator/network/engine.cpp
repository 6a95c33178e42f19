#include "emulator/network/engine.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/error.h"
#include "emulator/network/longest_run.h"

namespace hybrid {

namespace {

constexpr std::uint64_t kLongMessage = 256;  // words
constexpr std::uint64_t kCalm = 16;          // instants until the first state is saved

/// Largest message: its last word must be within the range of Time.
Bytes most_bytes(const SwitchParameters& p, const Timing& t) {
  const SplitRates rates = split_rates(p);
  const Time slowest = std::max({t.generation, t.word, t.digital_word, time_on_link(p.word, rates.worms),
                                 time_on_link(p.word, rates.channel)});
  const auto words = static_cast<std::uint64_t>(kLongestMessage.ps / std::max<std::int64_t>(1, slowest.ps)) /
                     (1 + t.worm_overhead);
  return words > std::numeric_limits<Bytes>::max() / p.word ? std::numeric_limits<Bytes>::max()
                                                            : words * p.word;
}

/// More than the sum of all delays of a network.
Time settling_time(const SwitchParameters& p, const Timing& t) {
  return 2 * (t.generation + t.nic * 2 + t.wire * 2 + t.circuit + t.digital + t.analog +
              t.network_reconfiguration + p.circuit_spread() + t.control * 2 + p.guard + p.slot_length * 2 +
              p.scheduler.cycle + p.scheduler.delay() + (t.word + t.digital_word) * 2);
}

}  // namespace

Engine::Engine(const SwitchParameters& parameters)
    : parameters_(parameters),
      timing_(parameters),
      most_bytes_(most_bytes(parameters, timing_)),
      events_(timing_.word),
      pes_(parameters.nodes),
      visitor_(settling_time(parameters_, timing_),
               timing_.flit_words + timing_.worm_words + timing_.worm_overhead) {
  if (timing_.shares_places) pools_.assign(parameters.nodes, PlacePool(timing_.room, parameters.nodes));
}

TechniqueStatistics Engine::statistics() const {
  TechniqueStatistics s = statistics_;
  s.cycles = static_cast<std::uint64_t>(now_ / parameters_.scheduler.cycle);
  return s;
}

void Engine::run_until(Time at) {
  const Time before = at - picoseconds(1);
  while (events_.next() < at) {
    if (possible_ != 0) skip_periods(before);
    if (events_.next() >= at) break;
    run_instant(events_.next(), nullptr);
    check_repetition();
  }
  if (at < now_) throw std::logic_error("a technique was called for an instant in the past");
  now_ = at;
  quiet_until_ = Time{};
  calm_ = possible_ = 0;
}

void Engine::visit(StateVisitor& v) {
  v.events(events_);
  for (ProcessingElement& pe : pes_) {
    if (v.failed()) return;
    pe.visit(v, needs_offer_times());
  }
}

void Engine::save_state() {
  visitor_.begin_save(now_);
  visit(visitor_);
  saved_ = calm_;
}

/// Compares the state after this instant with the saved one, or saves it.
void Engine::check_repetition() {
  constexpr std::uint64_t kWorthIt = 3;
  if (calm_ < kCalm || !searches_for_periods()) return;
  if (calm_ == kCalm) {
    next_save_ = kCalm;
    saved_ = 0;
  }
  if (calm_ >= next_save_) {
    next_save_ = 2 * calm_;
    return save_state();
  }
  if (saved_ == 0) return;
  visitor_.begin_compare(now_);
  visit(visitor_);
  if (visitor_.outcome() == StateVisitor::Outcome::differs) return;
  const std::uint64_t times = visitor_.times();
  if (times < kWorthIt) {
    // Either the state needs time to settle, or another event is near.
    next_save_ = calm_ + std::max(2 * (calm_ - saved_), kCalm);
    saved_ = 0;
    return;
  }
  possible_ = times;
  found_at_ = now_;
  quiet_until_ = now_ + visitor_.period() * static_cast<std::int64_t>(times);
  next_save_ = calm_ + 1;  // if the periods are not skipped
}

/// Skips the possible periods that end at or before `limit`.
void Engine::skip_periods(Time limit) {
  const auto fit = static_cast<std::uint64_t>((limit - found_at_) / visitor_.period());
  const std::uint64_t times = std::min(possible_, fit);
  if (times == 0) return;
  visitor_.begin_repeat(times);
  visit(visitor_);
  now_ = found_at_ + visitor_.period() * static_cast<std::int64_t>(times);
  possible_ = 0;
  const std::uint64_t instants = calm_ - saved_;
  save_state();
  next_save_ = calm_ + 4 * instants;
}

void Engine::send(Time at, const Message& message) {
  const Connection c = message.connection;
  if (c.source >= pes_.size() || c.destination >= pes_.size() || c.source == c.destination)
    throw std::logic_error("a message needs two different ports of the switch");
  if (message.bytes > most_bytes_)
    throw UserError("message: " + format_bytes(message.bytes) + " takes longer than can be emulated",
                    "Give smaller messages, a higher --link-rate or a shorter --word-generation.");
  run_until(at);

  const std::uint32_t index = transfers_.acquire({message});
  const Time offer = pes_[c.source].queue_message(at, index, c.destination, timing_.generation);
  if (offer == Time::never()) return;
  prefetch_state(c);
  events_.push_sorted(offer, kOffer, c.source, 0);
}

/// The words that the NIC makes for the worms of message `transfer`, which takes `words` words.
WormWords Engine::worm_words(std::uint32_t transfer, std::uint64_t words) {
  const std::uint64_t overhead = timing_.worm_overhead;
  if (!parameters_.nic_makes_headers || overhead == 0) return {};
  if (words == timing_.payload(transfers_[transfer].message.bytes)) return {};  // over a circuit
  return {1, timing_.worm_words, overhead - 1};
}

bool Engine::fill_queue(std::uint32_t pe) {
  ProcessingElement& p = pes_[pe];
  if (!p.busy()) return false;
  const std::uint64_t before = p.left();
  const auto note = [&](const Run& entries) {
    if (timeline_ != nullptr) timeline_->entered(p.offered(), entries);
  };
  if (!p.enter_words(now_, timing_.generation, pools_.empty() ? nullptr : &pools_[pe], note))
    return p.left() != before;
  const WordQueue& queue = *p.queue();
  const auto done = p.finish_message(timing_.generation);
  if (timeline_ != nullptr) timeline_->generated(done.last_entry, done.transfer);
  if (reports_injections_) events_.push(done.last_entry, kInjected, done.transfer);
  on_message_entered(done.last_entry, pe, queue);
  if (done.next_offer != Time::never()) {
    __builtin_prefetch(&transfers_[p.offered()]);  // it may have waited for a long time
    prefetch_state({pe, p.destination()});
    events_.push_sorted(done.next_offer, kOffer, pe, 0);
  }
  return true;
}

void Engine::report_circuit_words(const WordQueue& queue, const WordSpan& words) {
  const Time out = timing_.circuit_of(words.connection) - (parameters_.cable + parameters_.deserialise);
  for_each_message(queue.segments, words.starts, [&](std::uint32_t transfer, const Run& starts) {
    WordSpan span = words;
    span.transfer = transfer;
    span.starts = starts;
    timeline_->on_link(span);
    span.starts = starts.delayed(out);
    timeline_->out_of_fabric(span);
  });
}

/// Handles all events at `at`. Returns whether the listener was called.
bool Engine::run_instant(Time at, TransferListener* listener) {
  bool called = false;
  bool calm = true;
  now_ = at;
  possible_ = 0;
  if (at > kLongestRun) refuse_longer_run();
  while (events_.next() <= at) {
    const SwitchEvent event = events_.pop();
    ++handled_;
    if (event.at < at) throw std::logic_error("an event was scheduled in the past");
    switch (event.kind()) {
      case kOffer: {
        ProcessingElement& pe = pes_[event.a];
        std::uint64_t words = 0;
        if (timeline_ != nullptr)
          timeline_->offered(at - timing_.generation, pe.offered(), transfers_[pe.offered()].message);
        WordQueue& queue = select_queue(at, event.a, pe.offered(), words);
        pe.begin_message(at, queue, words, worm_words(pe.offered(), words));
        if (words >= kLongMessage) {
          transfers_[queue.segments.back().transfer].is_long = true;
          ++long_messages_;
        }
        fill_queue(event.a);
        forward_words(at, event.a, queue);
        calm = false;
        break;
      }
      case kPlace: {
        pools_[event.a].free_one(event.b);
        WordQueue* const queue = pes_[event.a].queue();
        if (queue != nullptr && queue->pooled && fill_queue(event.a)) forward_words(at, event.a, *queue);
        calm = false;
        break;
      }
      case kInjected:
        if (listener == nullptr) throw std::logic_error("a listener call was due before the message sent");
        listener->injected(at, transfers_[event.a].message);
        called = true;
        break;
      case kDelivered: {
        if (listener == nullptr) throw std::logic_error("a listener call was due before the message sent");
        const MessageInFlight t = transfers_[event.a];
        ++statistics_.messages;
        statistics_.bytes += t.message.bytes;
        statistics_.hits += t.hit ? 1 : 0;
        ++(t.circuit ? statistics_.circuit_messages : statistics_.wormhole_messages);
        transfers_.release(event.a);
        long_messages_ -= t.is_long ? 1 : 0;
        if (timeline_ != nullptr) timeline_->delivered(at, t.message);
        listener->delivered(at, t.message, t.hit);
        called = true;
        break;
      }
      default:
        calm = calm && is_steady(event.kind());
        handle_event(at, event);
    }
  }
  calm_ = calm && !called ? calm_ + 1 : 0;
  return called;
}

Time Engine::advance(Time until, TransferListener& listener) {
  while (events_.next() <= until) {
    if (possible_ != 0) skip_periods(until);
    const Time at = events_.next();
    if (at > until) break;
    if (run_instant(at, &listener)) return at;
    check_repetition();
  }
  if (until != Time::never()) now_ = std::max(now_, until);
  return until;
}

}  // namespace hybrid
