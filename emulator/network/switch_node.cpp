#include "emulator/network/switch_node.h"

#include <algorithm>
#include <utility>

namespace hybrid {

SwitchNode::SwitchNode(const SwitchParameters& parameters, const Timing& timing, Fabric fabric, Kinds kinds)
    : WormSwitches(parameters.nodes, parameters.nodes, parameters, timing, fabric, kinds),
      cycle_(parameters.scheduler.cycle),
      queue_numbers_(parameters.nodes),
      worms_of_(parameters.nodes),
      sending_(parameters.nodes),
      scheduler_(parameters.nodes),
      notes_(cycle_),
      under_way_(parameters.nodes),
      inputs_in_use_(parameters.nodes),
      clearing_(timing.wire) {}

void SwitchNode::announce_message(std::uint32_t source, std::uint32_t transfer, Port destination,
                                  std::uint64_t payload) {
  announced_[source].push({transfer, destination, payload});
  std::uint32_t& number = queue_numbers_.number_of(source, queue_key({source, destination}));
  if (number == 0) {
    number = kAnnounced + 1;
  } else if (number >= kAnnounced) {
    ++number;
  } else {
    VirtualQueue& queue = *places_[number - 1];
    ++queue.unfinished;
    prefetch_all(queue);
  }
  ++sources_[source].under_way;
  if (timing_.input_fifo) under_way_.announce_message({source, destination});
}

Time SwitchNode::time_cleared(Connection c) {
  if (timing_.input_fifo) return under_way_.time_cleared(c);
  const std::uint32_t number = queue_numbers_.find(c.source, c.destination);
  if (number == 0) return Time{};
  if (number >= kAnnounced) return Time::never();
  const VirtualQueue& queue = *places_[number - 1];
  return queue.unfinished == 0 ? queue.last_left + clearing_ : Time::never();
}

std::uint64_t SwitchNode::words_up_to(std::uint32_t source, Port destination) const {
  const Ring<Segment>& segments = sources_[source].queue.segments;
  std::uint64_t words = 0, result = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    words += segments[i].words;
    if (announced_[source][i].destination == destination) result = words;
  }
  return result;
}

Time SwitchNode::next_start(std::uint32_t port) {
  const Source& source = sources_[port];
  if (source.queue.entered.empty()) return Time::never();
  const Port destination = announced_[port].front().destination;
  const Time there = std::max(source.link_free, source.queue.entered.front().first + timing_.nic);
  const VirtualQueue* to = find_queue({port, destination});
  if (to == nullptr) return there;
  return to->credit.empty() ? Time::never() : std::max(there, to->credit.front().first);
}

/// Returns the queue of `c`. If it has none, it gets one that another connection no longer needs, or a new
/// one.
SwitchNode::VirtualQueue& SwitchNode::get_queue(Time now, Connection c) {
  if (VirtualQueue* queue = find_queue(c); queue != nullptr) return *queue;
  const auto give = [&](VirtualQueue& queue) -> VirtualQueue& {
    std::uint32_t& number = queue_numbers_.number_of(c.source, queue_key(c));
    queue.unfinished = number == 0 ? 0 : number - kAnnounced;
    number = queue.place;
    return queue;
  };
  while (!retired_.empty()) {
    VirtualQueue& queue = *places_[retired_.front()];
    const bool in_use = queue.requested || queue.holds_output || queue.unfinished != 0;
    // Not all credits are back. Queues that were retired later get theirs later.
    if (!in_use && !queue.used_again && queue.last_left + clearing_ > now) break;
    retired_.pop();
    if (!retired_.empty()) prefetch_all(*places_[retired_.front()]);  // it is not in the cache
    queue.retired = false;
    if (in_use) continue;
    if (queue.used_again) {
      retire_queue(queue);
      continue;
    }
    queue_numbers_.erase(queue.connection.source, queue_key(queue.connection));
    queue.reset(c, all_places());
    return give(queue);
  }
  queues_.emplace_back(c, all_places());
  places_.push_back(&queues_.back());
  prefetches_ = places_.size() > kInCache;
  queues_.back().place = static_cast<std::uint32_t>(places_.size());
  return give(queues_.back());
}

/// Retires a queue that all announced messages have left.
void SwitchNode::retire_queue(VirtualQueue& queue) {
  queue.used_again = queue.retired;
  if (queue.retired) return;
  queue.retired = true;
  retired_.push(queue.place - 1);
}

bool SwitchNode::move_over_link(std::uint32_t port, Time latest, Time now, EventQueue& events) {
  Source& source = sources_[port];
  VirtualQueue*& next = worms_of_[port].next;
  bool moved = false;
  while (!source.queue.entered.empty()) {
    if (next == nullptr) next = &get_queue(now, {port, announced_[port].front().destination});
    VirtualQueue& to = *next;
    if (source.no_place = to.credit.empty(); source.no_place) break;
    const Run data = first_words(source);
    to.credit.merge_past(std::min(now, std::max(source.link_free, data.first)));
    const Run possible = later_of(data, to.credit.front());
    const std::uint64_t words = send_over_link(
        port, possible, latest, to,
        [&](const Announced& m) { to.messages.push({m.transfer, m.destination, m.payload}); },
        [&] {
          next = nullptr;
          if (prefetches_ && announced_[port].size() > 1)
            prefetch_queue({port, announced_[port][1].destination});
        });
    if (words == 0) break;
    if (timing_.bounded()) to.credit.pop(words);
    moved = true;
    source.no_place = next != nullptr && to.credit.empty();
    request_output(now, to, events);
    if (source.link_free > latest) break;
  }
  return moved;
}

/// Words of the worm at the head of `queue`.
std::uint64_t SwitchNode::head_worm_words(const VirtualQueue& queue) const {
  return worm_words(queue.messages.front().words);
}

/// Requests the output of `queue`'s head worm, of which words are known, if the arrival of its first flit is.
void SwitchNode::request_head_worm(Time now, VirtualQueue& queue, EventQueue& events) {
  const Time there = first_flit_arrival(queue.arrived, head_worm_words(queue));
  if (there == Time::never()) return;
  queue.requested = true;
  queue.connection.destination = queue.messages.front().destination;
  // Before that instant the previous worm holds the input.
  const Time requested_at = std::max({now, there, queue.last_left + fabric_.spacing - lookahead_});
  if (timeline_ != nullptr) note_request_time(queue, requested_at);
  note_change(now, requested_at, queue.connection, queue.place, false, events);
}

/// Notes, for the timeline, that the head worm of `queue` requests its output at `at`.
void SwitchNode::note_request_time(const VirtualQueue& queue, Time at) {
  requested_at_.resize(places_.size());
  requested_at_[queue.place - 1] = at;
}

bool SwitchNode::move_through_fabric(Time now, std::uint32_t input, EventQueue& events,
                                     std::vector<Delivery>& delivered) {
  Worm& worm = worms_of_[input];
  VirtualQueue& queue = *worm.queue;
  bool moved = false;
  Time arrived{};  // of the last word that moved
  while (worm.left > 0 && !queue.arrived.empty()) {
    // Not before now: the continuation of a window may have become known just now.
    const Run words = queue.arrived.front().head(worm.left);
    Time free = std::max(std::max(worm.free, words.first), now);
    const Time latest = enter_window(queue.connection, free);
    const Run starts = serve_words(words, fabric_.spacing, latest, free);
    if (starts.count == 0) break;
    if (timing_.bounded()) queue.credit.push(starts.delayed(timing_.wire));
    queue.last_left = starts.last();
    if (timeline_ != nullptr) report_output(queue.connection, worm.transfer, starts);
    moved = true;
    sources_[input].no_place = false;
    arrived = words.at(starts.count - 1);
    queue.arrived.pop(starts.count);
    worm.left -= starts.count;
    worm.free = free;
  }
  if (worm.left == 0) {
    sending_.reset(input);
    worm.there = std::max(arrived, worm.granted);
    note_change(now, release_time(now, arrived, worm.free), queue.connection, queue.place, true, events);
    queue.requested = false;
    if (worm.ends_message) {
      --queue.unfinished;
      --sources_[input].under_way;
      sources_[input].last_left = queue.last_left;
      if (timing_.input_fifo) under_way_.note_departure(queue.connection, queue.last_left + clearing_);
      delivered.push_back({worm.transfer, queue.last_left + fabric_.path + timing_.nic});
    }
    request_output(now, queue, events);
  }
  return moved;
}

/// As move_worms(). Requires: a word may leave Q_W, or a granted worm has words left.
bool SwitchNode::move_known_words(Time now, std::uint32_t source, Time latest, EventQueue& events,
                                  std::vector<Delivery>& delivered) {
  bool over_link = false;
  // Words that left VQ_W return credits, which may let more words start on the link. Only those can then pass
  // the fabric, too.
  for (bool first = true;; first = false) {
    const bool moved = may_leave(sources_[source]) && move_over_link(source, latest, now, events);
    over_link |= moved;
    if (!moved && !first) break;
    if (worms_of_[source].left == 0 || !move_through_fabric(now, source, events, delivered)) break;
    if (!timing_.bounded()) break;
  }
  return over_link;
}

/// Notes for the scheduler's next pass that at `at` a worm requests its output, or its ports become free.
void SwitchNode::note_change(Time now, Time at, Connection c, std::uint32_t place, bool free,
                             EventQueue& events) {
  if (!notes_.can_note(now, at))
    return events.push(at, free ? kinds_.tail : kinds_.request, c.source, c.destination);
  if (const Time pass = notes_.add_note(at, c, place, free); pass != Time::never())
    events.push(pass, kinds_.pass);
}

void SwitchNode::apply_note(const PassNote& note) {
  std::uint32_t& worms = worms_of_[note.connection.source].under_way;
  if (note.free) {
    if (meter_)
      meter_->note_departure(note.at, note.connection.source, worms_of_[note.connection.source].payload);
    if (--worms == 0) {
      --inputs_with_worms_;
      inputs_in_use_.reset(note.connection.source);
    }
    scheduler_.release_ports(note.connection);
    VirtualQueue& queue = *places_[note.place - 1];
    queue.holds_output = false;
    if (queue.unfinished == 0) retire_queue(queue);
  } else {
    if (worms++ == 0) {
      ++inputs_with_worms_;
      inputs_in_use_.set(note.connection.source);
    }
    scheduler_.request(note.connection);
  }
}

void SwitchNode::start_worm(Time now, Connection c) {
  VirtualQueue& queue = *find_queue(c);
  Arriving& message = queue.messages.front();
  Worm& worm = worms_of_[c.source];
  if (timeline_ != nullptr) timeline_->waited(requested_at_[queue.place - 1], now + fabric_.setup, c, true);
  queue.holds_output = true;
  worm.queue = &queue;
  worm.connection = c;
  worm.left = head_worm_words(queue);
  worm.granted = now;
  worm.arrived = queue.arrived.front().first;
  worm.free = now + fabric_.setup;
  worm.transfer = message.transfer;
  worm.payload = worm.left - timing_.worm_overhead;
  message.words -= worm.payload;
  worm.ends_message = message.words == 0;
  if (worm.ends_message) queue.messages.pop();
  sending_.set(c.source);
}

void SwitchNode::visit_arrivals(StateVisitor& v) {
  for_each_port(inputs_in_use_.words(), [&](Port input) { v.instant(worms_of_[input].arrived); });
}

void SwitchNode::visit(StateVisitor& v) {
  v.same(inputs_with_worms_);
  if (meter_) v.same(meter_->measured().used);  // the length of S_W depends on it
  v.same(sending_);
  v.same(inputs_in_use_);
  notes_.visit(v);
  windows_.visit(v);
  bool used = inputs_with_worms_ != 0;
  std::uint64_t index = 0;
  for (VirtualQueue& queue : queues_) {
    if (v.failed()) return;
    ++index;
    if (queue.unfinished == 0) continue;  // its credits matter only when a message is announced
    used = true;
    v.same(index);
    v.same(std::uint64_t{queue.unfinished} * 2 + (queue.requested ? 1 : 0));
    v.words(queue.arrived);
    if (timing_.bounded()) v.words(queue.credit);
    v.same(queue.messages.size());
    if (!queue.messages.empty()) {
      v.same(queue.messages.front().transfer);
      v.same(queue.messages.back().transfer);
      v.plenty(queue.messages.front().words);
    }
    v.instant(queue.last_left);
  }
  v.same(index + 1);
  if (v.failed()) return;
  if (used) {
    v.clock(cycle_);
    scheduler_.visit(v);
    for_each_port(inputs_in_use_.words(), [&](Port input) {
      Worm& worm = worms_of_[input];
      if (worm.left == 0) return v.instant(worm.there);
      v.same(worm.queue->connection.destination * 2 + (worm.ends_message ? 1 : 0));
      v.same(worm.transfer);
      v.same(worm.left);
      v.instant(worm.free);
      v.instant(worm.granted);
    });
  }
  for (std::size_t port = 0; port < sources_.size(); ++port) {
    v.instant(sources_[port].link_free);
    v.same(announced_[port].size());
    v.queue(sources_[port].queue);
  }
}

void SwitchNode::apply_new_window(Time /*now*/, EventQueue& /*events*/, std::vector<Delivery>& /*delivered*/,
                                  std::vector<std::uint32_t>& touched) {
  for_each_port(sending_.words(), [&](Port input) { touched.push_back(input); });
}

void SwitchNode::handle_event(Time now, const SwitchEvent& event, EventQueue& events,
                              std::vector<Delivery>& /*delivered*/, std::vector<std::uint32_t>& touched) {
  const Connection c{event.a, event.b};
  if (event.kind() != kinds_.pass)
    return note_change(now, now, c, find_queue(c)->place, event.kind() == kinds_.tail, events);
  notes_.take_notes(now, [this](const PassNote& note) { apply_note(note); });
  if (!scheduler_.has_requests()) return;
  notes_.record_pass(now);
  const std::vector<Connection>& all_granted = scheduler_.run_pass(period_search_enabled_);
  constexpr std::size_t kAhead = 3;
  for (std::size_t i = 0; i < all_granted.size(); ++i) {
    if (prefetches_ && i + kAhead < all_granted.size()) {
      const Connection next = all_granted[i + kAhead];
      prefetch_queue(next);
      if (!announced_[next.source].empty())
        prefetch_queue({next.source, announced_[next.source].front().destination});
    }
    start_worm(now, all_granted[i]);
    touched.push_back(all_granted[i].source);
  }
}

}  // namespace hybrid
