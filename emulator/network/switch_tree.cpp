#include "emulator/network/switch_tree.h"

#include <algorithm>

namespace hybrid {

namespace {
constexpr Connection kAnyPorts{0, 0};  // all are open together
}

SwitchTree::SwitchTree(const FatTreeShape& shape, const Timing& timing, Time scheduler_cycle, Fabric fabric,
                       Kinds kinds)
    : tree_(shape),
      timing_(timing),
      cycle_(scheduler_cycle),
      fabric_(fabric),
      kinds_(kinds),
      ports_(shape.down + (shape.levels > 1 ? shape.up : 0)),
      sources_(tree_.nodes(), Source(timing)),
      announced_(tree_.nodes()),
      windows_(1),
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
  schedulers_.assign(switches, {WormholeScheduler(ports_)});
  sending_ = PortSet(static_cast<std::uint32_t>(inputs));
  worms_at_.assign(inputs, 0);
}

std::uint32_t SwitchTree::level_of(std::uint32_t number) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin()) -
         1;
}

/// The same port of the link's other direction: a link joins the same two places either way.
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
    queues_.back().credit.push({Time{}, Time{}, timing_.bounded() ? timing_.room : ~std::uint64_t{0}});
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
  return std::min(timing_.worm_words, queue.messages.front().left) + timing_.worm_overhead;
}

/// Has the head worm of `queue` ask once it is certain when its first flit is there.
void SwitchTree::request_output(Time now, std::uint32_t input, VirtualQueue& queue, EventQueue& events) {
  if (queue.requested || queue.messages.empty()) return;
  const std::uint64_t flit = std::min({timing_.flit_words, head_worm_words(queue), timing_.room});
  const Time there = queue.arrived.at(flit - 1);
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
    const Announced message = announced_[node].front();
    VirtualQueue& to = get_queue(input, output_towards(input, message.destination));
    if (to.credit.empty()) break;
    const Run data = source.queue.entered.front().head(source.queue.segments.front().words);
    const Run possible = later_of(data.delayed(timing_.nic), to.credit.front());
    const std::uint64_t words =
        serve(possible, timing_.word, latest, source.link_free, [&](const Run& starts) {
          if (timeline_ != nullptr)
            timeline_->on_link({{node, message.destination},
                                message.transfer,
                                starts,
                                timing_.word,
                                true,
                                WordSpan::kNoSlot});
          source.queue.remove_words(starts);
          to.arrived.push(starts.delayed(timing_.wire));
          remove_segment_words(
              source.queue.segments, starts,
              [&](std::uint32_t transfer) {
                to.messages.push({transfer, {node, message.destination}, message.payload, true});
              },
              [&](std::uint32_t, Time) { announced_[node].pop(); });
        });
    if (words == 0) break;
    if (timing_.bounded()) to.credit.pop(words);
    moved = true;
    request_output(now, input, to, events);
    ready_inputs_.push_back(input);
    if (words < possible.count) break;
  }
  return moved;
}

bool SwitchTree::move_worm(Time now, std::uint32_t input, EventQueue& events,
                           std::vector<Delivery>& delivered) {
  Worm& worm = worms_[input];
  VirtualQueue& from = *worm.queue;
  bool moved = false;
  while (worm.left > 0 && !from.arrived.empty()) {
    Run possible = from.arrived.front().head(worm.left);
    if (worm.next != nullptr) {
      if (worm.next->credit.empty()) break;
      possible = later_of(possible, worm.next->credit.front());
    }
    // That a window goes on may have become known just now.
    Time free = std::max({worm.free, possible.first, now});
    const FabricWindows::Window window = windows_.find_window(kAnyPorts, free, fabric_.spacing);
    if (window.from == Time::never()) break;
    const Time latest = window.until == Time::never() ? window.until : window.until - fabric_.spacing;
    free = std::max(free, window.from);
    const std::uint64_t sent = serve(possible, fabric_.spacing, latest, free, [&](const Run& starts) {
      if (timing_.bounded()) from.credit.push(starts.delayed(timing_.wire));
      worm.last_left = starts.last();
      if (worm.next != nullptr) {
        worm.next->arrived.push(starts.delayed(fabric_.path));
      } else if (timeline_ != nullptr) {
        timeline_->out_of_fabric({worm.self.connection, worm.self.transfer,
                                  starts.delayed(fabric_.path - timing_.wire), fabric_.spacing, true,
                                  WordSpan::kNoSlot});
      }
    });
    if (sent == 0) break;
    worm.free = free;
    if (worm.next != nullptr) {
      if (timing_.bounded()) worm.next->credit.pop(sent);
      if (worm.left == worm.words) worm.next->messages.push(worm.self);
    }
    from.arrived.pop(sent);
    worm.left -= sent;
    moved = true;
  }
  if (moved && worm.next != nullptr) request_output(now, worm.next_input, *worm.next, events);
  if (moved && worm.left == 0) {
    sending_.reset(input);
    events.push_sorted(worm.free, kinds_.tail, input, from.output);
    if (worm.next == nullptr && worm.self.ends_message)
      delivered.push_back({worm.self.transfer, worm.last_left + fabric_.path + timing_.nic});
  }
  return moved;
}

/// Moves the worms of the inputs in ready_inputs_, and whatever can move because of that.
void SwitchTree::move_ready_worms(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                                  std::vector<std::uint32_t>& touched) {
  while (!ready_inputs_.empty()) {
    const std::uint32_t input = ready_inputs_.back();
    ready_inputs_.pop_back();
    if (worms_[input].left == 0 || !move_worm(now, input, events, delivered)) continue;
    // Its words are there for the worm ahead of it, and their places for the one behind it.
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

/// One worm more, or less, asks or holds at `input`.
void SwitchTree::count_worms(Time now, std::uint32_t input, bool more) {
  std::uint32_t& worms = worms_at_[input];
  worms += more ? 1U : -1U;
  if (worms != (more ? 1U : 0U)) return;
  inputs_busy_ += more ? 1U : -1U;
  inputs_with_worms(now);  // so that what was told long ago does not pile up
  const std::uint32_t level = level_of(switch_of(input));
  reports_[level].push({now + timing_.cable * (tree_.levels() - 1 - level), more});
}

std::uint32_t SwitchTree::inputs_with_worms(Time at) {
  for (Ring<Report>& reports : reports_)
    for (; !reports.empty() && reports.front().at <= at; reports.pop())
      inputs_with_worms_ += reports.front().more ? 1U : -1U;
  return inputs_with_worms_;
}

bool SwitchTree::is_idle() const {
  const bool told = std::all_of(reports_.begin(), reports_.end(), [](const auto& t) { return t.empty(); });
  return told && inputs_busy_ == 0 && inputs_with_worms_ == 0;
}

void SwitchTree::schedule_pass(Time now, std::uint32_t number, EventQueue& events) {
  Scheduling& s = schedulers_[number];
  if (s.pass_at != Time::never() || !s.scheduler.has_requests()) return;
  s.pass_at = next_edge(now, cycle_);
  if (s.pass_at == s.last_pass) s.pass_at += cycle_;
  events.push_sorted(s.pass_at, kinds_.pass, number, 0);
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
    s.last_pass = now;
    s.pass_at = Time::never();
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
    scheduler.release_ports(ports);
    feeding_[number * ports_ + event.b] = kNone;
    VirtualQueue& from = *worms_[event.a].queue;
    from.requested = false;
    request_output(now, event.a, from, events);
  }
  schedule_pass(now, number, events);
}

}  // namespace hybrid
