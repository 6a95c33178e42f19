#include "emulator/network/engine.h"

#include <stdexcept>

namespace hybrid {

void Engine::reach(Time at) {
  const Time before = at - picoseconds(1);
  while (events_.next() < at) {
    if (look_at_ <= before) leap(before);
    if (events_.next() < at) run_instant(events_.next(), nullptr);
  }
  if (at < now_) throw std::logic_error("a technique was asked for something in the past");
  now_ = at;
  quiet_until_ = Time{};
}

/// Takes as many periods in one step as end at or before `limit`.
void Engine::leap(Time limit) {
  // Where it was not worth it, it is for a while not worth looking either.
  constexpr std::uint64_t kWorthIt = 4;
  look_at_ = Time::never();
  if (timeline_ != nullptr) return;
  Repetition possible = repetition();
  if (possible.period == Time{}) return;
  if (possible.times < kWorthIt) {
    look_not_before_ = now_ + possible.period * std::int64_t{4 * kWorthIt};
    return;
  }
  quiet_until_ = now_ + possible.period * static_cast<std::int64_t>(possible.times);
  if (limit < quiet_until_) possible.times = static_cast<std::uint64_t>((limit - now_) / possible.period);
  if (possible.times != 0) repeat(possible);
  now_ += possible.period * static_cast<std::int64_t>(possible.times);
  look_at_ = now_ + possible.period;
}

void Engine::send(Time at, const Message& message) {
  const Connection c = message.connection;
  if (c.source >= pes_.size() || c.destination >= pes_.size() || c.source == c.destination)
    throw std::logic_error("a message needs two different ports of the switch");
  reach(at);

  std::uint32_t index = 0;
  if (unused_.empty()) {
    index = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  transfers_[index] = {message};
  ++in_flight_;
  const Time offer = pes_[c.source].add(at, index, timing_.generation);
  if (offer != Time::never()) events_.push_sorted(offer, kOffer, c.source, 0);
}

void Engine::fill(std::uint32_t pe) {
  ProcessingElement& p = pes_[pe];
  if (!p.busy()) return;
  if (!p.fill(timing_.generation)) return;
  const auto done = p.done(timing_.generation);
  if (timeline_ != nullptr) timeline_->generated(done.last_entry, done.transfer);
  events_.push(done.last_entry, kInjected, done.transfer);
  if (done.next_offer != Time::never()) events_.push_sorted(done.next_offer, kOffer, pe, 0);
}

void Engine::tell_circuit(const WordQueue& queue, Connection c, const Run& starts, std::uint32_t slot) {
  const Time out = timing_.circuit - (parameters_.cable + parameters_.deserialise);
  for_each_message(queue.segments, starts, [&](std::uint32_t transfer, const Run& words) {
    timeline_->on_link({c, transfer, words, timing_.word, false, slot});
    timeline_->out_of_fabric({c, transfer, words.delayed(out), timing_.word, false, slot});
  });
}

/// Everything that happens at `at`. Returns whether the listener was called.
bool Engine::run_instant(Time at, TransferListener* listener) {
  bool called = false;
  now_ = at;
  while (events_.next() <= at) {
    const SwitchEvent event = events_.pop();
    if (event.at < at) throw std::logic_error("an event was scheduled in the past");
    switch (event.kind()) {
      case kOffer: {
        ProcessingElement& pe = pes_[event.a];
        std::uint64_t words = 0;
        if (timeline_ != nullptr)
          timeline_->offered(at - timing_.generation, pe.offered(), transfers_[pe.offered()].message);
        WordQueue& queue = classify(at, event.a, pe.offered(), words);
        pe.begin(at, queue, words);
        fill(event.a);
        moved(at, event.a, queue);
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
        unused_.push_back(event.a);
        --in_flight_;
        listener->delivered(at, t.message, t.hit);
        called = true;
        break;
      }
      default:
        handle(at, event);
    }
  }
  return called;
}

Time Engine::advance(Time until, TransferListener& listener) {
  while (events_.next() <= until) {
    if (look_at_ <= until) leap(until);
    const Time at = events_.next();
    if (at <= until && run_instant(at, &listener)) return at;
  }
  if (until != Time::never()) now_ = std::max(now_, until);
  return until;
}

}  // namespace hybrid
