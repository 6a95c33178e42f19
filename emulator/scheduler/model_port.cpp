#include "emulator/scheduler/model_port.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/tree_port.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kFewSlots = 16;  // the ports of so many slots fit into a cache line

class ModelPort final : public SchedulerPort {
 public:
  ModelPort(const SwitchParameters& p, std::unique_ptr<SlotNetwork> network)
      : ports_(p.nodes),
        slots_(p.slots),
        cycle_(p.scheduler.cycle),
        delay_(p.scheduler.delay()),
        fills_all_slots_(p.pass_fills_all_slots),
        preloads_directly_(p.preload_is_direct),
        network_(std::move(network)),
        open_(ports_, ports_),
        open_words_(ports_, words_for(ports_)),
        held_(std::size_t{ports_} * slots_, kNoPort),
        in_a_slot_(slots_ > kFewSlots ? ports_ : 0, ports_),
        to_release_(slots_, PortSet(ports_)),
        slot_(slots_, Configuration(ports_)),
        fixed_(slots_, 0),
        dynamic_slots_(slots_),
        work_(ports_, 0),
        active_(ports_) {}

  Shape shape() const override { return {ports_, slots_}; }
  void preload(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void request(Time at, Connection c) override;
  void release(Time at, Connection c) override;
  void flush(Time at, Port source) override;
  void find_blocking(Time at, std::uint32_t slot, Connection c, std::vector<Connection>& found) override {
    advance_to(at);
    network_->find_blocking(slot, c, found);
  }
  void advance(Time until, std::vector<Grant>& grants) override;
  Time next_change() const override;

 private:
  void advance_to(Time at);
  void run_passes_before(Time limit);
  void run_pass();
  bool fill_slot(Time visible);
  void note_call(Time at);
  bool update_sweep();
  void end_sweep();

  /// When a preload that arrives at `at` is visible. A direct one takes no pass; the changes of a pass that
  /// is under way come before it.
  Time preload_visible(Time at) const {
    if (!preloads_directly_) return next_edge(at, cycle_) + delay_;
    return queued_ < queue_.size() ? std::max(at, queue_.back().at) : at;
  }

  bool pending(Connection c) const { return open_.test(c.source, c.destination); }
  void open_request(Connection c);
  void close_request(Connection c);
  void mark_to_release(std::uint32_t slot, Port source);
  void unmark_to_release(std::uint32_t slot, Port source);
  void add_work(Port source);
  void take_work(Port source);
  void establish(Time visible, std::uint32_t slot, Connection c);
  void disestablish(Time visible, std::uint32_t slot, Connection c);
  void free_if_empty(std::uint32_t slot);

  std::uint32_t next_dynamic(std::uint32_t from) const;
  std::uint32_t slot_of(Connection c) const;
  std::size_t held_at(std::uint32_t slot, Port source) const { return std::size_t{source} * slots_ + slot; }
  SchedulingPriority priority() const;

  std::uint32_t ports_, slots_;
  Time cycle_, delay_;
  bool fills_all_slots_;    // in one pass
  bool preloads_directly_;  // without a pass (D 3.4.1)
  std::unique_ptr<SlotNetwork> network_;

  // R and B*, as Table 5.1 uses them. A connection in a slot that is not preloaded is in R unless it must be
  // released; a connection in a preloaded slot is not in R.
  BitMatrix open_;          // R and not B*
  BitMatrix open_words_;    // by input: words of its row in open_ that are not 0
  std::vector<Port> held_;  // by input, by slot: B*; up to kFewSlots slots of an input share a cache line
  BitMatrix in_a_slot_;     // B*, if there are too many slots to search them for every request; else empty
  std::vector<PortSet> to_release_;  // by slot: inputs whose connection in it is not in R
  std::vector<Configuration> slot_;  // B^(s)
  std::vector<char> fixed_;          // whether a slot is preloaded
  std::uint32_t dynamic_slots_;      // slots that are not preloaded

  // Work: connections pending (open) or to be released.
  std::vector<std::uint32_t> work_;  // by input
  std::uint64_t all_work_ = 0;
  PortSet active_;  // inputs with work

  // The SL counter.
  Time pass_edge_ = Time::never();  // of the next pass; never: stopped
  Time last_edge_;                  // of the last pass, when passes_made_
  bool passes_made_ = false;
  bool called_ = false;           // a call may have changed the work since the last pass
  bool sweeping_ = false;         // a sweep has begun and not ended
  std::uint32_t counter_ = 0;     // slot of the next pass
  std::uint32_t idle_slots_ = 0;  // consecutive slots processed without a change since the last call
  std::uint64_t sweeps_ = 0;      // ended so far

  Time now_{};                // latest time of any call
  std::vector<Grant> queue_;  // in time order; those from `queued_` on are not visible yet
  std::size_t queued_ = 0;
};

void ModelPort::add_work(Port source) {
  ++all_work_;
  if (work_[source]++ == 0) active_.set(source);
}

void ModelPort::take_work(Port source) {
  --all_work_;
  if (--work_[source] == 0) active_.reset(source);
}

/// Records that `c` is now requested and in no slot. Precondition: it was not.
void ModelPort::open_request(Connection c) {
  open_.set(c.source, c.destination);
  open_words_.set(c.source, c.destination / kWordBits);
  add_work(c.source);
}

/// Records that `c` is no longer requested or no longer in no slot.
void ModelPort::close_request(Connection c) {
  open_.reset(c.source, c.destination);
  const std::size_t word = c.destination / kWordBits;
  if (open_.row(c.source)[word] == 0) open_words_.reset(c.source, word);
  take_work(c.source);
}

void ModelPort::mark_to_release(std::uint32_t slot, Port source) {
  if (to_release_[slot].test(source)) return;
  to_release_[slot].set(source);
  add_work(source);
}

void ModelPort::unmark_to_release(std::uint32_t slot, Port source) {
  if (!to_release_[slot].test(source)) return;
  to_release_[slot].reset(source);
  take_work(source);
}

void ModelPort::establish(Time visible, std::uint32_t slot, Connection c) {
  if (!slot_[slot].add(c)) throw std::logic_error("scheduler established a connection between busy ports");
  held_[held_at(slot, c.source)] = c.destination;
  if (slots_ > kFewSlots) in_a_slot_.set(c.source, c.destination);
  if (pending(c)) close_request(c);
  queue_.push_back({visible, slot, c, Grant::Kind::established});
}

/// Removes `c` from the slot. If it is still requested, which is possible in a slot that is not preloaded, it
/// is pending again.
void ModelPort::disestablish(Time visible, std::uint32_t slot, Connection c) {
  slot_[slot].remove(c);
  held_[held_at(slot, c.source)] = kNoPort;
  if (slots_ > kFewSlots) in_a_slot_.reset(c.source, c.destination);
  if (to_release_[slot].test(c.source))
    unmark_to_release(slot, c.source);
  else if (!fixed_[slot])
    open_request(c);
  queue_.push_back({visible, slot, c, Grant::Kind::released});
}

/// A preloaded slot that lost its last connection is dynamic again.
void ModelPort::free_if_empty(std::uint32_t slot) {
  if (!fixed_[slot] || !slot_[slot].empty()) return;
  fixed_[slot] = 0;
  ++dynamic_slots_;
}

/// Returns the first slot at or after `from` that is not preloaded, or slots_.
std::uint32_t ModelPort::next_dynamic(std::uint32_t from) const {
  while (from < slots_ && fixed_[from]) ++from;
  return from;
}

/// Returns the slot that holds `c`, or slots_.
std::uint32_t ModelPort::slot_of(Connection c) const {
  if (slots_ > kFewSlots && !in_a_slot_.test(c.source, c.destination)) return slots_;
  const Port* const held = &held_[held_at(0, c.source)];
  return static_cast<std::uint32_t>(std::find(held, held + slots_, c.destination) - held);
}

/// Returns (a, b) of this sweep: a completes a round every N sweeps; b moves one further ahead of it with
/// each round.
SchedulingPriority ModelPort::priority() const {
  return {static_cast<Port>(sweeps_ % ports_), static_cast<Port>((sweeps_ + sweeps_ / ports_) % ports_)};
}

/// Advances the model to just before a call at `at`: passes on earlier edges do not see the call.
void ModelPort::advance_to(Time at) {
  if (at < now_) throw std::logic_error("scheduler port called backwards in time");
  now_ = at;
  run_passes_before(at);
}

void ModelPort::run_passes_before(Time limit) {
  while (pass_edge_ < limit) run_pass();
}

/// Processes the slot of the counter, and moves the counter to the next slot. Returns whether the pass
/// continues with that slot.
bool ModelPort::fill_slot(Time visible) {
  Configuration& slot = slot_[counter_];
  const auto toggles = network_->pass(
      counter_, {open_, to_release_[counter_], slot, active_, priority(), &open_words_, counter_});
  for (const Connection c : toggles)
    if (slot.holds(c))
      disestablish(visible, counter_, c);
    else
      establish(visible, counter_, c);

  idle_slots_ = toggles.empty() ? idle_slots_ + 1 : 0;
  if (all_work_ == 0 || idle_slots_ >= dynamic_slots_) {
    end_sweep();
    return false;
  }
  counter_ = next_dynamic(counter_ + 1);
  if (counter_ != slots_) return fills_all_slots_;
  counter_ = next_dynamic(0);
  ++sweeps_;
  return false;
}

void ModelPort::run_pass() {
  last_edge_ = pass_edge_;
  passes_made_ = true;
  if (update_sweep()) {
    if (fills_all_slots_) counter_ = next_dynamic(0);
    while (fill_slot(last_edge_ + delay_)) {
    }
  }
  pass_edge_ = sweeping_ ? last_edge_ + cycle_ : Time::never();
}

/// Begins, continues or ends the sweep at the first edge after calls. Returns whether the edge has a pass.
bool ModelPort::update_sweep() {
  if (!std::exchange(called_, false)) return sweeping_;
  idle_slots_ = 0;
  if (all_work_ == 0 || dynamic_slots_ == 0) {
    end_sweep();
  } else if (!std::exchange(sweeping_, true)) {
    counter_ = next_dynamic(0);
  } else if (fixed_[counter_]) {  // preloaded in the middle of a sweep
    counter_ = next_dynamic(counter_);
    if (counter_ == slots_) {
      counter_ = next_dynamic(0);
      ++sweeps_;
    }
  }
  return sweeping_;
}

void ModelPort::end_sweep() {
  if (std::exchange(sweeping_, false)) ++sweeps_;
}

/// After a call at `at` that may have changed the state. Only the state at the next edge matters.
void ModelPort::note_call(Time at) {
  called_ = true;
  if (pass_edge_ != Time::never()) return;
  pass_edge_ = next_edge(at, cycle_);
  if (passes_made_ && pass_edge_ <= last_edge_) pass_edge_ = last_edge_ + cycle_;
}

void ModelPort::request(Time at, Connection c) {
  advance_to(at);
  if (const std::uint32_t slot = slot_of(c); slot != slots_) {
    if (!to_release_[slot].test(c.source)) return;  // preloaded, or requested already
    unmark_to_release(slot, c.source);
  } else {
    if (pending(c)) return;
    open_request(c);
  }
  note_call(at);
}

void ModelPort::release(Time at, Connection c) {
  advance_to(at);
  if (const std::uint32_t slot = slot_of(c); slot != slots_) {
    if (fixed_[slot] || to_release_[slot].test(c.source)) return;
    mark_to_release(slot, c.source);
  } else {
    if (!pending(c)) return;
    close_request(c);
  }
  note_call(at);
}

void ModelPort::preload(Time at, std::uint32_t slot, const Configuration& wanted) {
  advance_to(at);
  const Configuration* const held = network_->load_slot(slot, wanted);
  const Configuration& configuration = held == nullptr ? wanted : *held;
  const Time visible = preload_visible(at);
  for (const Connection c : slot_[slot].connections())
    if (!configuration.holds(c)) disestablish(visible, slot, c);
  if (!configuration.empty() && !fixed_[slot]) {
    fixed_[slot] = 1;
    --dynamic_slots_;
  }
  for (const Connection c : configuration.connections()) {
    if (slot_[slot].holds(c)) {
      unmark_to_release(slot, c.source);
      continue;
    }
    if (const std::uint32_t other = slot_of(c); other != slots_) {
      disestablish(visible, other, c);
      network_->remove(other, c);
      free_if_empty(other);
    }
    establish(visible, slot, c);
  }
  free_if_empty(slot);
  note_call(at);
}

void ModelPort::flush(Time at, Port source) {
  advance_to(at);
  const Time visible = next_edge(at, cycle_) + delay_;
  const Port begin = source == kNoPort ? 0 : source;
  const Port end = source == kNoPort ? ports_ : source + 1;
  for (Port input = begin; input < end; ++input)
    for_each_port(open_.row(input), [&](Port output) { close_request({input, output}); });
  for (std::uint32_t s = 0; s < slots_; ++s) {
    for (Port input = begin; input < end; ++input)
      if (const Port output = slot_[s].destination_of(input); output != kNoPort) {
        if (!fixed_[s]) mark_to_release(s, input);
        disestablish(visible, s, {input, output});
        network_->remove(s, {input, output});
      }
    free_if_empty(s);
  }
  note_call(at);
}

void ModelPort::advance(Time until, std::vector<Grant>& grants) {
  advance_to(until);
  // The changes of a pass on the edge `until` are visible now only without latency; otherwise the pass waits
  // for further calls at this instant.
  if (delay_ == Time{} && pass_edge_ == until) run_pass();
  while (queued_ < queue_.size() && queue_[queued_].at <= until) grants.push_back(queue_[queued_++]);
  if (queued_ == queue_.size()) {
    queue_.clear();
    queued_ = 0;
  } else if (queued_ > queue_.size() / 2) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(queued_));
    queued_ = 0;
  }
}

Time ModelPort::next_change() const {
  if (queued_ < queue_.size()) return queue_[queued_].at;
  const bool ends = called_ && (all_work_ == 0 || dynamic_slots_ == 0);  // the sweep, at the next edge
  return pass_edge_ == Time::never() || ends ? Time::never() : pass_edge_ + delay_;
}

class Crossbar final : public SlotNetwork {
 public:
  explicit Crossbar(const SwitchParameters& p)
      : scheduler_(
            make_one_slot_scheduler(p.scheduler_name, SchedulerShape{p.nodes, p.seed, p.scheduler_steps})) {}
  std::span<const Connection> pass(std::uint32_t /*slot*/, const SchedulingPass& in) override {
    return scheduler_->pass(in);
  }

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace

std::unique_ptr<SchedulerPort> make_model_port(const SwitchParameters& parameters,
                                               std::unique_ptr<SlotNetwork> network) {
  return std::make_unique<ModelPort>(parameters, std::move(network));
}

std::unique_ptr<SchedulerPort> make_scheduler_port(const SwitchParameters& parameters) {
  if (parameters.nodes == 0) throw UserError("a scheduler needs at least one port", "Give --nodes.");
  if (parameters.slots == 0) throw UserError("a scheduler needs at least one slot", "Give --slots.");
  if (parameters.scheduler.cycle <= Time{})
    throw UserError("the scheduler's clock cycle must be longer than 0", "Give --scheduler-cycle.");
  if (parameters.is_tree()) return make_model_port(parameters, std::make_unique<TreeSlotNetwork>(parameters));
  return make_model_port(parameters, std::make_unique<Crossbar>(parameters));
}

}  // namespace hybrid
