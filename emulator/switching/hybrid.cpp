#include "emulator/switching/hybrid.h"

#include <algorithm>
#include <utility>

namespace hybrid {

namespace {

const TechniqueRegistration kHybrid{
    "hybrid",
    "K predictive slots and one wormhole slot on one fabric (D 3, 4)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> {
      if (p.is_tree()) return std::make_unique<TreeHybrid>(p);
      return std::make_unique<Hybrid>(p);
    },
    {.options = joined(
         {slot_options(), {"misses", "packet-plane"}, circuit_options(), worm_options(), flit_options()}),
     .fat_trees = true}};

}  // namespace

template <class Worms>
HybridOver<Worms>::HybridOver(const SwitchParameters& parameters)
    : PredictiveCircuits(parameters, parameters.packet_plane == 0),
      plane_(parameters.packet_plane > 0),
      worms_(parameters, worm_timing(parameters), {kTail, kRequest, kPass}),
      circuits_ahead_(parameters.nodes),
      worms_ahead_(parameters.nodes),
      waiting_(plane_ ? parameters.nodes : 0),
      links_(parameters.nodes),
      gated_(parameters.nodes),
      backlog_(parameters.nodes) {
  if (needs_efficiency() && !plane_) worms_.measure_efficiency();
  if (plane_) {
    worms_.windows().open_permanently();
    const Timing plane = worm_timing(parameters);
    const auto words = static_cast<std::int64_t>(
        std::min<std::uint64_t>(plane.worm_words + plane.worm_overhead + plane.flit_words, 1 << 20));
    add_delay(plane.digital + (plane.word + plane.digital_word) * words);
  }
  // Before its first slot the fabric carries no circuit. With the other allocations it waits for S_W.
  if (!plane_ && !Worms::kTree && keeps_circuits())
    worms_.windows().add_opening({}, {}, timing_.control + timing_.to_fabric, nullptr);
  const WormSwitches::Fabric fabric = hybrid_fabric(parameters, worm_timing(parameters));
  if (!parameters.misses_use_worms)
    path_choice_.emplace(parameters, timing_, WormRate{fabric.spacing, fabric.path, fabric.setup});
}

/// What the NIC knows of the circuit.
template <class Worms>
PathChoice::Circuit HybridOver<Worms>::state_of(const CircuitState* c) const {
  using State = PathChoice::Circuit;
  if (c == nullptr || !c->in_table) return State::absent;
  if (window().grants(c->connection) && requests_.keeps(c->connection)) return State::open;
  return requests_.expects(c->connection) ? State::expected : State::in_table;
}

/// What the NIC knows if `words` words are offered now for the connection, of which the circuit is `c`.
template <class Worms>
PathChoice::Offer HybridOver<Worms>::offer_of(Time now, Connection connection, const CircuitState* c,
                                              std::uint64_t words) {
  const Port source = connection.source;
  return {.words = words,
          .circuit = state_of(c),
          .opens = windows_.opens(source) - now,
          .can_be_granted = schedule_.has_dynamic_slot(),
          .connections_with_data = connections_with_data(source, now),
          .circuits_ahead = circuits_ahead_[source].at(now),
          .worms_ahead = worms_ahead_[source].at(now),
          .messages_ahead = circuits_ahead_[source].messages(now) + worms_ahead_[source].messages(now),
          .worms_under_way = time_worms_cleared(now, connection) > now,
          .switches = timing_.switches_between(connection)};
}

template <class Worms>
WordQueue& HybridOver<Worms>::select_queue(Time now, std::uint32_t pe, std::uint32_t index,
                                           std::uint64_t& words) {
  const Message& message = transfer(index).message;
  const CircuitState* const c = circuits_.find(message.connection);
  const bool in_table = c != nullptr && c->in_table;
  const std::uint64_t payload = timing_.payload(message.bytes);
  if (path_choice_) windows_.start(now);  // the NIC knows the windows until now
  const bool chosen =
      path_choice_ ? path_choice_->by_circuit(offer_of(now, message.connection, c, payload)) : in_table;
  if ((chosen && foreground_) || (c != nullptr && c->waits(now))) {
    if (path_choice_) circuits_ahead_[pe].add(path_choice_->circuit_work(payload));
    if (chooses_again() && (c == nullptr || c->finished()))
      waiting_[pe].push_back(message.connection.destination);
    return PredictiveCircuits::select_queue(now, pe, index, words);
  }
  requests_.on_message(now, message, false);
  if (path_choice_) transfer(index).hit = in_table;
  windows_.start(now);
  if (path_choice_) worms_ahead_[pe].add(path_choice_->worm_occupancy(payload));
  words = timing_.in_worms(payload);
  report_offer(now, in_table ? Traffic{payload, 0} : Traffic{0, payload}, {pe, kNoPort});
  worms_.announce_message(pe, index, message.connection.destination, payload);
  requests_.serve_by_worms(now, message.connection);
  return worms_.source(pe).queue;
}

template <class Worms>
Time HybridOver<Worms>::gate_time(Time now, Connection c) {
  const Time opens = time_worms_cleared(now, c);
  if (opens == Time::never() && circuits_.at(c).gate != Time::never()) ++gated_[c.source];
  return opens;
}

template <class Worms>
void HybridOver<Worms>::forward_words(Time now, std::uint32_t pe, WordQueue& queue) {
  if (&queue == &worms_.source(pe).queue) {
    backlog_.set(pe);
    return schedule_link_check(now, pe);
  }
  if (CircuitState& c = *static_cast<CircuitQueue&>(queue).circuit;
      now < window().close && window().grants(c.connection)) {
    // The link is still kept for a message that is offered before the last word of the previous one starts.
    if (now + timing_.word <= links_[pe].kept_until)
      keep_link(now, c);
    else
      use_grant(now, c);
  }
}

template <class Worms>
void HybridOver<Worms>::on_message_entered(Time at, std::uint32_t pe, const WordQueue& queue) {
  if (chooses_again() && &queue != &worms_.source(pe).queue)
    events_.push_sorted(std::max(now_, at), kIdle, pe, 0);
}

/// The words in Q_W go first, since they belong to short messages; but not for more than half of the window.
/// Returns `now` if the circuit that can send may take the link, else the instant at which it tries again.
template <class Worms>
Time HybridOver<Worms>::worms_go_first_until(Time now, Port source) {
  const Time half{(window().seen.ps + window().close.ps) / 2};
  if constexpr (!Worms::kTree)
    if (!plane_ && keeps_circuits() && now < half) {
      const WormSwitches::Source& worms = worms_.source(source);
      if (worms.link_free > now) return std::min(half, worms.link_free);
      if (worms.queue.entered.empty() || !worms_.has_place(source, now)) return now;
      const Run& words = worms.queue.entered.front();
      if (words.first > now) return now;
      // Without limit of places, words that enter fast enough follow each other on the link.
      const std::uint64_t sent = !timing_.bounded() && words.step <= timing_.word ? words.count : 1;
      const Time starts = std::max(now, words.first + timing_.nic);
      return std::min(half, starts + timing_.word * static_cast<std::int64_t>(sent));
    }
  return now;
}

/// Claims the link for a circuit with data, from the first instant at which it can send.
template <class Worms>
void HybridOver<Worms>::use_grant(Time now, CircuitState& c) {
  if (c.gate == Time::never() || c.finished() || c.queue->entered.empty()) return;
  const Time first = std::max(
      {now, windows_.opens(c.connection.source), c.gate, c.queue->entered.front().first + timing_.nic});
  if (first < links_[c.connection.source].claimed) claim_link(first, c);
}

template <class Worms>
void HybridOver<Worms>::claim_link(Time at, CircuitState& c) {
  Link& link = links_[c.connection.source];
  link.claimed = at <= window().close - timing_.word ? at : Time::never();
  if (link.claimed == at) events_.push_sorted(at, kClaim, c.connection.source, c.connection.destination);
}

template <class Worms>
void HybridOver<Worms>::take_link(Time now, CircuitState& c) {
  const Port source = c.connection.source;
  Link& link = links_[source];
  if (link.claimed != now) return;
  if (const Time again = worms_go_first_until(now, source); again > now) {
    claim_link(again, c);
    if (backlog_.test(source)) schedule_link_check(now, source);
    return;
  }
  link.claimed = Time::never();
  Time& free = link_free_[source];
  if (!plane_) free = std::max(free, worms_.source(source).link_free);
  free = std::max(free, now);  // words in Q_W went first until now
  keep_link(now, c);
}

/// Sends the words of the circuit that can leave in this window. The circuit keeps the link meanwhile.
template <class Worms>
void HybridOver<Worms>::keep_link(Time now, CircuitState& c) {
  const Port source = c.connection.source;
  send_words(now, c);
  if (chooses_again() && c.finished()) std::erase(waiting_[source], c.connection.destination);
  const Time kept_before =
      std::exchange(links_[source].kept_until, c.finished() ? link_free_[source] : window().close);
  if (plane_) return;
  Time& wormhole_free = worms_.source(source).link_free;
  if (wormhole_free == kept_before) wormhole_free = Time{};  // the circuit may end earlier than assumed
  wormhole_free = std::max({wormhole_free, link_free_[source], links_[source].kept_until});
  if (backlog_.test(source)) schedule_link_check(now, source);
}

template <class Worms>
void HybridOver<Worms>::on_window_seen(Time now) {
  if (plane_) return;
  for_each_port(backlog_.words(), [&](Port source) { schedule_link_check(now, source); });
}

template <class Worms>
void HybridOver<Worms>::schedule_link_check(Time at, std::uint32_t port) {
  Link& link = links_[port];
  if (link.next_check <= at) return;
  link.next_check = at;
  events_.push_sorted(at, kLink, port, 0);
}

/// Latest instant up to which it is certain that no circuit takes the link of `port`.
template <class Worms>
Time HybridOver<Worms>::link_certain_until(Time now, std::uint32_t port) {
  const Link& link = links_[port];
  if (now >= window().close || window().configuration == nullptr)
    return windows_.known_until() - picoseconds(1);
  const Port destination = window().configuration->destination_of(port);
  if (destination == kNoPort) return windows_.known_until() - picoseconds(1);
  if (link.claimed != Time::never()) return link.claimed - picoseconds(1);
  if (now < link.kept_until) return link.kept_until - picoseconds(1);
  const WordQueue* const entering = pes_[port].queue();
  const bool any_time = entering != nullptr && entering->pooled;  // a word leaves, and another one enters
  Time next_claim =
      (any_time ? now : std::max(now, pes_[port].earliest_offer(now, timing_.generation))) + timing_.nic;
  if (gated_[port] != 0)
    if (const CircuitState& c = circuits_.at({port, destination}); !c.finished() && c.gate == Time::never())
      next_claim = std::min(next_claim, now + worms_.clearing(c.connection));
  return std::max(now, std::min(next_claim, windows_.known_until()) - picoseconds(1));
}

/// As link_certain_until(), after all known words have moved, if the circuit of this window waits for worms
/// of its connection: it cannot send before their last word has left Q_W and VQ_W, and words leave VQ_W only
/// after an event. 0 if the circuit does not wait.
template <class Worms>
Time HybridOver<Worms>::certain_while_gated(Time now, std::uint32_t port) {
  const Link& link = links_[port];
  if (gated_[port] == 0 || now >= window().close || window().configuration == nullptr) return {};
  const Port destination = window().configuration->destination_of(port);
  if (destination == kNoPort || link.claimed != Time::never() || now < link.kept_until) return {};
  if (const CircuitState& c = circuits_.at({port, destination}); c.finished() || c.gate != Time::never())
    return {};
  if constexpr (Worms::kTree)
    return {};  // a tree does not skip periods while worms are in it
  else {
    // Only a pass, at an edge of the scheduler's clock, can change this. Checks of other ports' links are
    // events, too, but each of them would only wait for the next one.
    const Time edge = next_edge(now + picoseconds(1), parameters_.scheduler.cycle);
    Time happens = events_.next();
    if (happens != Time::never()) happens = std::max(happens, edge);
    Time certain = windows_.known_until();
    if (const std::uint64_t words = worms_.words_up_to(port, destination); words == 0) {
      if (happens != Time::never()) certain = happens + timing_.wire - picoseconds(1);
    } else if (const Time start = worms_.next_start(port); start != Time::never()) {
      certain = std::max(now, start) + timing_.word * static_cast<std::int64_t>(words - 1);
    } else if (happens != Time::never()) {
      certain = happens - picoseconds(1);
    }
    return std::min(certain, windows_.known_until() - picoseconds(1));
  }
}

template <class Worms>
void HybridOver<Worms>::move_worms(Time now, std::uint32_t port, Time certain) {
  // In a tree, more words may move even if none entered.
  while (worms_.move_worms(now, port, certain, events_, delivered_, touched_) && timing_.bounded() &&
         (fill_queue(port) || Worms::kTree)) {
  }
  process_deliveries(now);
}

/// Schedules the deliveries of worms that moved, and opens the gates of circuits that waited for them.
template <class Worms>
void HybridOver<Worms>::process_deliveries(Time now) {
  for (const SwitchNode::Delivery& d : delivered_) {
    schedule_delivery(d.at, d.transfer);
    // The last worm of a connection opens the gate of the circuit's queue.
    const Connection connection = transfer(d.transfer).message.connection;
    worms_.note_departure(connection, d);
    note_left(now, connection, d);
    if (gated_[connection.source] == 0 && requests_.served_by_worms(connection.source) == 0) continue;
    CircuitState* const c = circuits_.find(connection);
    if (c == nullptr || (c->gate != Time::never() && !c->by_worms)) continue;
    const Time cleared = worms_.time_cleared(connection);
    if (cleared == Time::never()) continue;
    if (c->by_worms) requests_.worms_left(std::max(now, cleared), *c);
    if (c->gate != Time::never()) continue;
    c->gate = cleared;
    --gated_[connection.source];
    if (!c->finished()) reports_.send(c->gate, {connection, QueueReport::What::waits, c->queue->due});
    if (now < window().close && window().grants(connection)) use_grant(now, *c);
  }
  delivered_.clear();
  for (const std::uint32_t port : touched_) schedule_link_check(now, port);
  touched_.clear();
}

/// The NIC knows when a message has left the last switch as worms.
template <class Worms>
void HybridOver<Worms>::note_left(Time now, Connection c, const SwitchNode::Delivery& d) {
  if (!path_choice_) return;
  WorkAhead& ahead = worms_ahead_[c.source];
  ahead.leaves(worms_.last_start(d) + worms_.clearing(c),
               path_choice_->worm_occupancy(timing_.payload(transfer(d.transfer).message.bytes)));
  if (const Time idle = ahead.all_left(); chooses_again() && idle != Time::never())
    events_.push_sorted(std::max(now, idle), kIdle, c.source, 0);
}

/// None of the worms of `source` may be under way, or a message has entered the queue of a circuit.
template <class Worms>
void HybridOver<Worms>::choose_again(Time now, Port source) {
  if (!path_choice_ || waiting_[source].empty() || worms_ahead_[source].messages(now) != 0) return;
  CircuitState* last = nullptr;
  for (const Port destination : waiting_[source]) {
    CircuitState& c = *circuits_.find({source, destination});
    if (!prefers_worms(now, c)) continue;
    if (last == nullptr || last->queue->entered.front().first < c.queue->entered.front().first) last = &c;
  }
  if (last != nullptr) move_to_worms(now, *last, *path_choice_);
}

/// Whether all messages that wait for `c` can travel as worms and worms would deliver them earlier.
template <class Worms>
bool HybridOver<Worms>::prefers_worms(Time now, CircuitState& c) {
  const Port source = c.connection.source;
  const CircuitQueue& queue = *c.queue;
  const bool can_leave =
      window().grants(c.connection) && std::max(now, windows_.opens(source)) + timing_.word <= window().close;
  const bool entered =
      pes_[source].queue() != &queue && !queue.entered.empty() && queue.entered.back().last() <= now;
  if (can_leave || !entered || queue.segments.front().begun || now < c.gone) return false;
  std::uint64_t words = 0, in_worms = 0;
  for (std::size_t i = 0; i < queue.segments.size(); ++i) {
    words += queue.segments[i].words;
    in_worms += timing_.in_worms(queue.segments[i].words);
  }
  if (worms_.source(source).queue.bounded && in_worms > timing_.worm_room) return false;
  PathChoice::Offer again = offer_of(now, c.connection, &c, words);
  --again.connections_with_data;
  again.circuits_ahead = again.circuits_ahead - path_choice_->circuit_work(words);
  return !path_choice_->by_circuit(again);
}

template <class Worms>
void HybridOver<Worms>::move_to_worms(Time now, CircuitState& c, const PathChoice& choice) {
  const auto [source, destination] = c.connection;
  WordQueue& worms = worms_.source(source).queue;
  worms.room.merge_past(now);
  for (; !c.queue->segments.empty(); c.queue->segments.pop()) {
    const Segment& message = c.queue->segments.front();
    const std::uint64_t words = timing_.in_worms(message.words);
    transfer(message.transfer).circuit = false;
    circuits_ahead_[source].leaves(now, choice.circuit_work(message.words));
    worms_ahead_[source].add(choice.worm_occupancy(message.words));
    worms_.announce_message(source, message.transfer, destination, message.words);
    worms.segments.push({message.transfer, false, words});
    worms.entered.push({now, Time{}, words});
    worms.take_places(words);
  }
  while (!c.queue->entered.empty())
    remove_circuit_words(*c.queue, c.connection, {now, Time{}, c.queue->entered.front().count});
  std::erase(waiting_[source], destination);
  c.gone = now;
  finish_queue(now, c);
  requests_.withdraw(now, c);
  requests_.serve_by_worms(now, c.connection);
  backlog_.set(source);
  check_plane(now, source);
}

template <class Worms>
void HybridOver<Worms>::check_plane(Time now, Port source) {
  move_worms(now, source, Time::never());
  if (worms_.source(source).queue.finished()) backlog_.reset(source);
}

template <class Worms>
void HybridOver<Worms>::check_link(Time now, std::uint32_t port) {
  Link& link = links_[port];
  if (link.next_check != now) return;
  link.next_check = Time::never();
  if (plane_) return check_plane(now, port);
  Time certain = link_certain_until(now, port);
  move_worms(now, port, certain);
  if (const Time gated = certain_while_gated(now, port); gated > certain && may_skip_periods()) {
    certain = gated;
    move_worms(now, port, certain);
  }
  // The words that moved may have opened a gate, and a circuit claims the link later than was certain before.
  if (link.claimed != Time::never() && certain < link.claimed - picoseconds(1)) {
    certain = link.claimed - picoseconds(1);
    move_worms(now, port, certain);
  }
  SwitchNode::Source& source = worms_.source(port);
  if (source.queue.finished()) {
    backlog_.reset(port);
  } else if (certain + picoseconds(1) < windows_.known_until() && link.claimed == Time::never()) {
    schedule_link_check(std::max(certain + picoseconds(1), now + picoseconds(1)), port);
  }
}

template <class Worms>
void HybridOver<Worms>::open_worm_window(Time now, const CycleController::Slot& slot,
                                         const Configuration* circuits) {
  if (plane_ || (Worms::kTree && circuits != nullptr)) return;  // in a tree worms pass during S_W only
  const Time skew = timing_.control + timing_.to_fabric;
  const Time begin = slot.begin + skew;
  worms_.windows().remove_openings_until(now);
  worms_.windows().add_opening(begin, begin + parameters_.unusable_slot_time(slot.reconfigures),
                               slot.end + skew, circuits);
  if (circuits == nullptr) worms_.note_wormhole_slot(begin, slot.end + skew);
  worms_.apply_new_window(now, events_, delivered_, touched_);
  process_deliveries(now);
}

template <class Worms>
bool HybridOver<Worms>::is_steady(std::uint32_t kind) const {
  switch (kind) {
    case kTail:
    case kRequest:
    case kPass:
      return !Worms::kTree;
    case kClaim:
    case kLink:
      return true;
    default:
      return PredictiveCircuits::is_steady(kind);
  }
}

template <class Worms>
void HybridOver<Worms>::visit(StateVisitor& v) {
  PredictiveCircuits::visit(v);
  if (v.failed()) return;
  worms_.visit(v);
  if constexpr (!Worms::kTree) {
    const bool compares = !plane_ && has_waiting_circuits();
    v.same(compares ? 1 : 0);
    if (compares) worms_.visit_arrivals(v);
  }
  v.same(backlog_);
  for (WorkAhead& work : circuits_ahead_) work.visit(v, now_);
  for (WorkAhead& work : worms_ahead_) work.visit(v, now_);
  for (Link& link : links_) {
    v.instant(link.claimed);
    v.instant(link.kept_until);
    v.instant(link.next_check);
  }
}

template <class Worms>
void HybridOver<Worms>::handle_event(Time now, const SwitchEvent& event) {
  switch (event.kind()) {
    case kClaim:
      return take_link(now, circuits_.at({event.a, event.b}));
    case kLink:
      return check_link(now, event.a);
    case kIdle:
      return choose_again(now, event.a);
    case kTail:
    case kRequest:
    case kPass:
      worms_.enable_period_search(searches_for_periods());
      worms_.handle_event(now, event, events_, delivered_, touched_);
      return process_deliveries(now);
    default:
      PredictiveCircuits::handle_event(now, event);
  }
}

template class HybridOver<CrossbarWorms>;
template class HybridOver<TreeWorms>;

}  // namespace hybrid
