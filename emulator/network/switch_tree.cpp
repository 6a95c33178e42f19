#include "emulator/network/switch_tree.h"

#include <algorithm>

namespace hybrid {

namespace {
constexpr Connection kAnyPorts{0, 0};  // all ports share the windows
}

SwitchTree::SwitchTree(const SwitchParameters& parameters, const Timing& timing, Fabric fabric, Kinds kinds)
    : WormSwitches(FatTree(parameters.tree).nodes(), 1, parameters, timing, fabric, kinds),
      tree_(parameters.tree),
      ports_(parameters.tree.down + (parameters.tree.levels > 1 ? parameters.tree.up : 0)),
      reports_(tree_.levels()) {
  std::uint32_t switches = 0;
  for (std::uint32_t level = 0; level < tree_.levels(); ++level) {
    first_.push_back(switches);
    switches += tree_.switches(level);
  }
  const std::size_t inputs = std::size_t{switches} * ports_;
  place_.resize(inputs);
  worms_.resize(inputs);
  feeding_.assign(inputs, kNone);
  schedulers_.assign(switches, {WormholeScheduler(ports_), PassClock(parameters.scheduler.cycle)});
  sending_ = PortSet(static_cast<std::uint32_t>(inputs));
  worms_at_.assign(inputs, 0);
}

std::uint32_t SwitchTree::level_of(std::uint32_t number) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin()) -
         1;
}

/// The port at the other end of the link. It is the same for both directions of the link.
SwitchTree::LinkEnd SwitchTree::find_link_end(std::uint32_t at) const {
  const std::uint32_t number = switch_of(at), port = at % ports_, level = level_of(number);
  const std::uint32_t tau = number - first_[level], m = tree_.shape().down;
  if (port >= m) {
    const std::uint32_t above = first_[level + 1] + tree_.above(level, tau, port - m);
    return {kNone, above * ports_ + tree_.port_from_above(level, tau)};
  }
  if (level == 0) return {tau * m + port, 0};
  const std::uint32_t below = first_[level - 1] + tree_.below(level, tau, port);
  return {kNone, below * ports_ + m + tree_.port_from_below(tau)};
}

std::uint32_t SwitchTree::output_towards(std::uint32_t input, Port destination) const {
  const std::uint32_t number = switch_of(input), level = level_of(number), m = tree_.shape().down;
  const std::uint32_t subtree = (number - first_[level]) / tree_.up_power(level);
  const std::uint32_t leaf = tree_.leaf(destination);
  if (leaf / tree_.down_power(level) != subtree)
    return m + destination / tree_.up_power(level) % tree_.shape().up;
  return level == 0 ? tree_.leaf_port(destination) : leaf / tree_.down_power(level - 1) % m;
}

SwitchTree::VirtualQueue& SwitchTree::get_queue(std::uint32_t input, std::uint32_t output) {
  std::vector<std::uint32_t>& row = place_[input];
  if (row.empty()) row.assign(timing_.input_fifo ? 1 : ports_, 0);
  std::uint32_t& place = row[timing_.input_fifo ? 0 : output];
  if (place == 0) {
    queues_.emplace_back();
    queues_.back().credit.push(all_places());
    place = static_cast<std::uint32_t>(queues_.size());
  }
  return queues_[place - 1];
}

void SwitchTree::announce_message(Port node, std::uint32_t transfer, Port destination,
                                  std::uint64_t payload) {
  announced_[node].push({transfer, destination, payload});
}

/// Words of the worm at the head of `queue`.
std::uint64_t SwitchTree::head_worm_words(const VirtualQueue& queue) const {
  return worm_words(queue.messages.front().left);
}

/// Schedules the request of `queue`'s head worm if the arrival of its first flit is known.
void SwitchTree::request_output(Time now, std::uint32_t input, VirtualQueue& queue, EventQueue& events) {
  if (queue.requested || queue.messages.empty()) return;
  const Time there = first_flit_arrival(queue.arrived, head_worm_words(queue));
  if (there == Time::never()) return;
  queue.requested = true;
  queue.output = output_towards(input, queue.messages.front().connection.destination);
  queue.requested_at = std::max(now, there);
  events.push_sorted(queue.requested_at, kinds_.request, input, queue.output);
}

bool SwitchTree::move_over_link(Time now, Port node, Time latest, EventQueue& events) {
  Source& source = sources_[node];
  const std::uint32_t input = tree_.leaf(node) * ports_ + tree_.leaf_port(node);
  bool moved = false;
  while (!source.queue.entered.empty()) {
    VirtualQueue& to = get_queue(input, output_towards(input, announced_[node].front().destination));
    if (to.credit.empty()) break;
    const Run possible = later_of(first_words(source), to.credit.front());
    const std::uint64_t words = send_over_link(
        node, possible, latest, to,
        [&](const Announced& m) { to.messages.push({m.transfer, {node, m.destination}, m.payload, true}); },
        [] {});
    if (words == 0) break;
    if (timing_.bounded()) to.credit.pop(words);
    moved = true;
    request_output(now, input, to, events);
    ready_inputs_.push_back(input);
  }
  return moved;
}

bool SwitchTree::move_worm(Time now, std::uint32_t input, EventQueue& events,
                           std::vector<Delivery>& delivered) {
  Worm& worm = worms_[input];
  VirtualQueue& from = *worm.queue;
  bool moved = false;
  Time there{};  // from then on the last word that moved and its place are there
  while (worm.left > 0 && !from.arrived.empty()) {
    Run possible = from.arrived.front().head(worm.left);
    if (worm.next != nullptr) {
      if (worm.next->credit.empty()) break;
      possible = later_of(possible, worm.next->credit.front());
    }
    // Not before now: the continuation of a window may have become known just now.
    Time free = std::max({worm.free, possible.first, now});
    const Time latest = enter_window(kAnyPorts, free);
    const Run starts = serve_words(possible, fabric_.spacing, latest, free);
    const std::uint64_t sent = starts.count;
    if (sent == 0) break;
    if (timing_.bounded()) from.credit.push(starts.delayed(timing_.wire));
    worm.last_left = starts.last();
    if (worm.next != nullptr)
      worm.next->arrived.push(starts.delayed(fabric_.path));
    else if (timeline_ != nullptr)
      report_output(worm.self.connection, worm.self.transfer, starts);
    worm.free = free;
    if (worm.next != nullptr) {
      if (timing_.bounded()) worm.next->credit.pop(sent);
      if (worm.left == worm.words) worm.next->messages.push(worm.self);
    }
    there = possible.at(sent - 1);
    from.arrived.pop(sent);
    worm.left -= sent;
    moved = true;
  }
  if (moved && worm.next != nullptr) request_output(now, worm.next_input, *worm.next, events);
  if (moved && worm.left == 0) {
    sending_.reset(input);
    events.push_sorted(release_time(now, there, worm.free), kinds_.tail, input, from.output);
    if (worm.next == nullptr && worm.self.ends_message)
      delivered.push_back({worm.self.transfer, worm.last_left + fabric_.path + timing_.nic});
  }
  return moved;
}

/// Moves the worms of the inputs in ready_inputs_, and all worms that can move as a consequence.
void SwitchTree::move_ready_worms(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                                  std::vector<std::uint32_t>& touched) {
  while (!ready_inputs_.empty()) {
    const std::uint32_t input = ready_inputs_.back();
    ready_inputs_.pop_back();
    if (worms_[input].left == 0 || !move_worm(now, input, events, delivered)) continue;
    // The next input has new words, and the previous one has new places.
    if (worms_[input].next != nullptr) ready_inputs_.push_back(worms_[input].next_input);
    if (!timing_.bounded()) continue;
    const LinkEnd behind = find_link_end(input);
    if (behind.node != kNone)
      touched.push_back(behind.node);
    else if (feeding_[behind.port] != kNone)
      ready_inputs_.push_back(feeding_[behind.port]);
  }
}

bool SwitchTree::move_worms(Time now, Port node, Time latest, EventQueue& events,
                            std::vector<Delivery>& delivered, std::vector<std::uint32_t>& touched) {
  const bool moved = move_over_link(now, node, latest, events);
  move_ready_worms(now, events, delivered, touched);
  return moved;
}

void SwitchTree::apply_new_window(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                                  std::vector<std::uint32_t>& touched) {
  for_each_port(sending_.words(), [&](std::uint32_t input) { ready_inputs_.push_back(input); });
  move_ready_worms(now, events, delivered, touched);
}

/// Counts one worm more, or less, that requests or holds an output at `input`.
void SwitchTree::count_worms(Time now, std::uint32_t input, bool more) {
  std::uint32_t& worms = worms_at_[input];
  worms += more ? 1U : -1U;
  if (worms != (more ? 1U : 0U)) return;
  inputs_busy_ += more ? 1U : -1U;
  inputs_with_worms(now);  // removes old reports
  const std::uint32_t level = level_of(switch_of(input));
  reports_[level].push({now + timing_.cable * (tree_.levels() - 1 - level), more});
}

std::uint32_t SwitchTree::inputs_with_worms(Time at) {
  for (Ring<Report>& reports : reports_)
    for (; !reports.empty() && reports.front().at <= at; reports.pop())
      inputs_with_worms_ += reports.front().more ? 1U : -1U;
  return inputs_with_worms_;
}

Efficiency SwitchTree::efficiency(Time at) {
  for (; !departures_.empty() && departures_.front().at <= at; departures_.pop()) {
    const Departure& left = departures_.front();
    meter_->note_departure(left.at, left.source, left.words);
  }
  return meter_->until(at);
}

bool SwitchTree::is_idle() const {
  const bool reported =
      std::all_of(reports_.begin(), reports_.end(), [](const auto& reports) { return reports.empty(); });
  return reported && inputs_busy_ == 0 && inputs_with_worms_ == 0;
}

void SwitchTree::schedule_pass(Time now, std::uint32_t number, EventQueue& events) {
  Scheduling& s = schedulers_[number];
  if (!s.scheduler.has_requests()) return;
  if (const Time pass = s.clock.schedule_pass(now); pass != Time::never())
    events.push_sorted(pass, kinds_.pass, number, 0);
}

void SwitchTree::start_worm(Time now, std::uint32_t number, Connection ports) {
  const std::uint32_t input = number * ports_ + ports.source, output = number * ports_ + ports.destination;
  VirtualQueue& from = get_queue(input, ports.destination);
  Worm& worm = worms_[input];
  Arriving& message = from.messages.front();
  worm.queue = &from;
  worm.words = worm.left = head_worm_words(from);
  worm.free = now + fabric_.setup;
  worm.self = message;
  worm.self.left = worm.words - timing_.worm_overhead;
  message.left -= worm.self.left;
  worm.self.ends_message = message.left == 0 && message.ends_message;
  if (message.left == 0) from.messages.pop();
  const LinkEnd ahead = find_link_end(output);
  worm.next = nullptr;
  if (ahead.node == kNone) {
    worm.next_input = ahead.port;
    worm.next = &get_queue(ahead.port, output_towards(ahead.port, worm.self.connection.destination));
  }
  feeding_[output] = input;
  sending_.set(input);
  ready_inputs_.push_back(input);
  if (timeline_ != nullptr && find_link_end(input).node != kNone)
    timeline_->waited(from.requested_at, worm.free, worm.self.connection, true);
}

void SwitchTree::handle_event(Time now, const SwitchEvent& event, EventQueue& events,
                              std::vector<Delivery>& delivered, std::vector<std::uint32_t>& touched) {
  if (event.kind() == kinds_.pass) {
    Scheduling& s = schedulers_[event.a];
    s.clock.begin_pass(now);
    for (const Connection ports : s.scheduler.run_pass()) start_worm(now, event.a, ports);
    return move_ready_worms(now, events, delivered, touched);
  }
  const std::uint32_t number = switch_of(event.a);
  const Connection ports{event.a % ports_, event.b};
  WormholeScheduler& scheduler = schedulers_[number].scheduler;
  if (event.kind() == kinds_.request) {
    count_worms(now, event.a, true);
    scheduler.request(ports);
  } else {
    count_worms(now, event.a, false);
    if (const Worm& worm = worms_[event.a]; meter_ && worm.next == nullptr)
      departures_.push({now + timing_.cable * (tree_.levels() - 1), worm.self.connection.source,
                        worm.words - timing_.worm_overhead});
    scheduler.release_ports(ports);
    feeding_[number * ports_ + event.b] = kNone;
    VirtualQueue& from = *worms_[event.a].queue;
    from.requested = false;
    request_output(now, event.a, from, events);
  }
  schedule_pass(now, number, events);
}

}  // namespace hybrid
