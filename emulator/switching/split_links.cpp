#include "emulator/switching/split_links.h"

#include <algorithm>

namespace hybrid {

namespace {

SplitRates rates_of(SwitchParameters p, std::uint32_t channels) {
  p.circuit_channels = channels;
  return split_rates(p);
}

Timing worms_timing(const Timing& whole, Time word) {
  Timing timing = whole;
  timing.word = word;
  return timing;
}

}  // namespace

SplitLinks::SplitLinks(const SwitchParameters& parameters, std::uint32_t channels)
    : SplitLinks(parameters, rates_of(parameters, channels)) {}

SplitLinks::SplitLinks(const SwitchParameters& parameters, SplitRates rates)
    : Engine(parameters),
      channel_word_(time_on_link(parameters.word, rates.channel)),
      lead_(std::max(Time{}, timing_.digital - timing_.wire - timing_.circuit)),
      lag_(timing_.circuit - timing_.nic - timing_.wire - timing_.digital),
      node_(parameters, worms_timing(timing_, time_on_link(parameters.word, rates.worms)),
            {std::max(time_on_link(parameters.word, rates.worms), parameters.digital_fabric.cycle),
             timing_.digital, parameters.scheduler.delay()},
            {kTail, kWormRequest, kWormPass}),
      circuits_(parameters.nodes) {
  node_.windows().open_permanently();
  // Words on a part of a link take longer than on the whole link.
  add_delay((channel_word_ + time_on_link(parameters.word, rates.worms)) * 2);
}

/// Whether a worm that is offered now cannot overtake words on the circuit.
bool SplitLinks::may_send_worms(Time now, const CircuitQueue& queue) const {
  return queue.finished() && now >= queue.gone && now >= queue.safe;
}

/// The instant from which words on the circuit cannot overtake the worms.
Time SplitLinks::gate_time(Connection c) {
  const Time cleared = node_.time_cleared(c);
  return cleared == Time::never() ? cleared : cleared + lead_;
}

WordQueue& SplitLinks::select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) {
  MessageInFlight& t = transfer(index);
  const std::uint64_t payload = timing_.payload(t.message.bytes);
  CircuitQueue& queue = circuit(t.message.connection);
  if (may_send_worms(now, queue) && !takes_circuit(queue, t.message.bytes)) {
    words = timing_.in_worms(payload);
    node_.announce_message(pe, index, t.message.connection.destination, payload);
    return node_.source(pe).queue;
  }
  t.circuit = true;
  t.hit = knows_circuit(queue);
  words = payload;
  queue.gate = gate_time(queue.connection);
  request_circuit(now, queue);
  return queue;
}

void SplitLinks::forward_words(Time now, std::uint32_t pe, WordQueue& queue) {
  if (&queue == &node_.source(pe).queue)
    move_worms(now, pe);
  else
    send_ready_words(now, static_cast<CircuitQueue&>(queue));
}

void SplitLinks::move_worms(Time now, std::uint32_t port) {
  delivered_.clear();
  while (node_.move_worms(now, port, Time::never(), events_, delivered_, touched_) && timing_.bounded() &&
         fill_queue(port)) {
  }
  for (const SwitchNode::Delivery& d : delivered_) {
    schedule_delivery(d.at, d.transfer);
    // The last worm of a connection opens the gate of the circuit queue.
    CircuitQueue& queue = circuit(transfer(d.transfer).message.connection);
    if (queue.gate != Time::never()) continue;
    queue.gate = gate_time(queue.connection);
    if (queue.gate != Time::never()) send_ready_words(now, queue);
  }
}

void SplitLinks::send_words(Time now, CircuitQueue& queue, std::uint64_t words, std::uint32_t channel,
                            Time& free) {
  const Port source = queue.connection.source;
  free = std::max({free, now, queue.gate});
  while (words > 0 && !queue.entered.empty()) {
    const Run data = queue.entered.front().head(words).delayed(timing_.nic);
    const Run starts = serve_words(data, channel_word_, Time::never(), free);
    if (timeline_ != nullptr)
      report_circuit_words(
          queue, {queue.connection, 0, starts, channel_word_, false, WordSpan::kNoSlot, channel + 1});
    remove_circuit_words(queue, queue.connection, starts);
    queue.safe = starts.last() + lag_;
    remove_segment_words(
        queue.segments, starts, [](std::uint32_t) {},
        [&](std::uint32_t index, Time start) {
          schedule_delivery(start + timing_.circuit + timing_.nic, index);
        });
    words -= starts.count;
    queue.carried += starts.count;
    queue.gone = free;
    if (timing_.bounded()) fill_queue(source);
  }
}

void SplitLinks::note_established(Time at, CircuitQueue& queue) {
  ++statistics_.established;
  queue.established = at;
  queue.carried = 0;
}

void SplitLinks::count_held(Time at, const CircuitQueue& queue, TechniqueStatistics& s) const {
  const Time held = std::max(Time{}, at - queue.established);
  s.held += held;
  s.held_unused += std::max(Time{}, held - channel_word_ * static_cast<std::int64_t>(queue.carried));
}

void SplitLinks::handle_event(Time now, const SwitchEvent& event) {
  if (event.kind() < kTail || event.kind() > kWormPass) return handle_circuit_event(now, event);
  touched_.clear();
  node_.enable_period_search(searches_for_periods());
  node_.handle_event(now, event, events_, delivered_, touched_);
  for (const std::uint32_t port : touched_) move_worms(now, port);
}

void SplitLinks::visit(StateVisitor& v) {
  Engine::visit(v);
  if (v.failed()) return;
  node_.visit(v);
  v.unfinished(circuits_.all(), [&](CircuitQueue& queue) { v.instant(queue.gate); });
}

}  // namespace hybrid
