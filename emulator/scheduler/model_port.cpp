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

class ModelPort final : public SchedulerPort {
 public:
  ModelPort(const SwitchParameters& p, std::unique_ptr<SlotNetwork> network)
      : ports_(p.nodes),
        slots_(p.slots),
        cycle_(p.scheduler.cycle),
        delay_(p.scheduler.delay()),
        network_(std::move(network)),
        requests_(ports_, ports_),
        occupied_(ports_, words_for(ports_)),
        established_(ports_, ports_),
        preloaded_(ports_, ports_),
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
  void in_the_way(Time at, std::uint32_t slot, Connection c, std::vector<Connection>& found) override {
    reach(at);
    network_->in_the_way(slot, c, found);
  }
  void advance(Time until, std::vector<Grant>& grants) override;
  Time next_change() const override;

 private:
  void reach(Time at);
  void run_passes_before(Time limit);
  void pass();
  void stop();
  void wake(Time at);

  bool is_work(Connection c) const {
    const bool by_request = established_.test(c.source, c.destination) && !preloaded(c);
    return requests_.test(c.source, c.destination) != by_request;
  }
  /// Only slots that are preloaded hold such; where there are none, as mostly, that saves a look at a large
  /// table.
  bool preloaded(Connection c) const {
    return dynamic_slots_ != slots_ && preloaded_.test(c.source, c.destination);
  }
  template <class Change>
  void change(Connection c, Change&& make);
  void require(Connection c);
  void no_longer_require(Connection c);
  void establish(Time visible, std::uint32_t slot, Connection c);
  void disestablish(Time visible, std::uint32_t slot, Connection c);
  void free_if_empty(std::uint32_t slot);

  std::uint32_t next_dynamic(std::uint32_t from) const;
  std::uint32_t slot_of(Connection c) const;
  SchedulingPriority priority() const;

  std::uint32_t ports_, slots_;
  Time cycle_, delay_;
  std::unique_ptr<SlotNetwork> network_;

  BitMatrix requests_;               // R; 0 for a preloaded connection
  BitMatrix occupied_;               // by input: words of R's row that hold any
  BitMatrix established_;            // B*
  BitMatrix preloaded_;              // the part of B* that preloaded slots hold
  std::vector<Configuration> slot_;  // B^(s)
  std::vector<char> fixed_;          // whether a slot is preloaded
  std::uint32_t dynamic_slots_;      // those that are not

  // Work: connections pending or to be released, that is where R and B* without its preloaded part differ.
  std::vector<std::uint32_t> work_;  // by input
  std::uint64_t all_work_ = 0;
  PortSet active_;  // inputs with work

  // The SL counter.
  Time pass_edge_ = Time::never();  // of the next pass; never: stopped
  Time last_edge_;                  // of the last pass, when passes_made_
  bool passes_made_ = false;
  std::uint32_t counter_ = 0;      // slot of the next pass
  std::uint32_t idle_passes_ = 0;  // in a row that changed nothing, since something was asked
  std::uint64_t sweeps_ = 0;       // ended so far

  Time now_{};                // latest time of any call
  std::vector<Grant> queue_;  // in time order; those from `queued_` on are not yet visible
  std::size_t queued_ = 0;
};

/// Applies `make` to the matrices at `c` and keeps the count of work.
template <class Change>
void ModelPort::change(Connection c, Change&& make) {
  const bool before = is_work(c);
  make();
  const bool after = is_work(c);
  if (before == after) return;
  if (after) {
    ++all_work_;
    if (work_[c.source]++ == 0) active_.set(c.source);
  } else {
    --all_work_;
    if (--work_[c.source] == 0) active_.reset(c.source);
  }
}

void ModelPort::require(Connection c) {
  requests_.set(c.source, c.destination);
  occupied_.set(c.source, c.destination / kWordBits);
}

void ModelPort::no_longer_require(Connection c) {
  requests_.reset(c.source, c.destination);
  const std::size_t word = c.destination / kWordBits;
  if (requests_.row(c.source)[word] == 0) occupied_.reset(c.source, word);
}

void ModelPort::establish(Time visible, std::uint32_t slot, Connection c) {
  if (!slot_[slot].add(c)) throw std::logic_error("scheduler established a connection between busy ports");
  change(c, [&] { established_.set(c.source, c.destination); });
  queue_.push_back({visible, slot, c, Grant::Kind::established});
}

void ModelPort::disestablish(Time visible, std::uint32_t slot, Connection c) {
  slot_[slot].remove(c);
  change(c, [&] {
    established_.reset(c.source, c.destination);
    preloaded_.reset(c.source, c.destination);
  });
  queue_.push_back({visible, slot, c, Grant::Kind::released});
}

/// A preloaded slot that lost its last connection is dynamic again.
void ModelPort::free_if_empty(std::uint32_t slot) {
  if (!fixed_[slot] || !slot_[slot].empty()) return;
  fixed_[slot] = 0;
  ++dynamic_slots_;
}

/// The first slot at or after `from` that is not preloaded, or slots_.
std::uint32_t ModelPort::next_dynamic(std::uint32_t from) const {
  while (from < slots_ && fixed_[from]) ++from;
  return from;
}

std::uint32_t ModelPort::slot_of(Connection c) const {
  std::uint32_t s = 0;
  while (!slot_[s].holds(c)) ++s;
  return s;
}

/// (a, b) of this sweep: a goes round once in N sweeps, b is one further behind it each time round.
SchedulingPriority ModelPort::priority() const {
  return {static_cast<Port>(sweeps_ % ports_), static_cast<Port>((sweeps_ + sweeps_ / ports_) % ports_)};
}

/// Brings the model to just before what is asked at `at`: passes on earlier edges do not see it.
void ModelPort::reach(Time at) {
  if (at < now_) throw std::logic_error("scheduler port called backwards in time");
  now_ = at;
  run_passes_before(at);
}

void ModelPort::run_passes_before(Time limit) {
  while (pass_edge_ < limit) pass();
}

void ModelPort::pass() {
  const Time visible = pass_edge_ + delay_;
  Configuration& slot = slot_[counter_];
  const auto toggles =
      network_->pass(counter_, {requests_, established_, slot, active_, priority(), &occupied_});
  for (const Connection c : toggles)
    if (slot.holds(c))
      disestablish(visible, counter_, c);
    else
      establish(visible, counter_, c);

  last_edge_ = pass_edge_;
  passes_made_ = true;
  idle_passes_ = toggles.empty() ? idle_passes_ + 1 : 0;
  if (all_work_ == 0 || idle_passes_ >= dynamic_slots_) return stop();
  pass_edge_ += cycle_;
  counter_ = next_dynamic(counter_ + 1);
  if (counter_ == slots_) {
    counter_ = next_dynamic(0);
    ++sweeps_;
  }
}

/// Ends the sweep.
void ModelPort::stop() {
  if (pass_edge_ == Time::never()) return;
  pass_edge_ = Time::never();
  ++sweeps_;
}

/// After anything asked at `at` may have changed the state: the counter runs if there may be something to do.
void ModelPort::wake(Time at) {
  idle_passes_ = 0;
  if (all_work_ == 0 || dynamic_slots_ == 0) return stop();
  if (pass_edge_ == Time::never()) {
    pass_edge_ = next_edge(at, cycle_);
    if (passes_made_ && pass_edge_ <= last_edge_) pass_edge_ = last_edge_ + cycle_;
    counter_ = next_dynamic(0);
  } else if (fixed_[counter_]) {  // preloaded in the middle of a sweep
    counter_ = next_dynamic(counter_);
    if (counter_ == slots_) {
      counter_ = next_dynamic(0);
      ++sweeps_;
    }
  }
}

void ModelPort::request(Time at, Connection c) {
  reach(at);
  if (requests_.test(c.source, c.destination) || preloaded(c)) return;
  change(c, [&] { require(c); });
  wake(at);
}

void ModelPort::release(Time at, Connection c) {
  reach(at);
  if (!requests_.test(c.source, c.destination)) return;
  change(c, [&] { no_longer_require(c); });
  wake(at);
}

void ModelPort::preload(Time at, std::uint32_t slot, const Configuration& wanted) {
  reach(at);
  const Configuration* const held = network_->load(slot, wanted);
  const Configuration& configuration = held == nullptr ? wanted : *held;
  const Time visible = next_edge(at, cycle_) + delay_;
  if (!configuration.empty() && !fixed_[slot]) {
    fixed_[slot] = 1;
    --dynamic_slots_;
  }
  for (const Connection c : slot_[slot].connections())
    if (!configuration.holds(c)) disestablish(visible, slot, c);
  for (const Connection c : configuration.connections()) {
    if (!slot_[slot].holds(c)) {
      if (established_.test(c.source, c.destination)) {
        const std::uint32_t other = slot_of(c);
        disestablish(visible, other, c);
        network_->lost(other, c);
        free_if_empty(other);
      }
      establish(visible, slot, c);
    }
    change(c, [&] {
      no_longer_require(c);
      preloaded_.set(c.source, c.destination);
    });
  }
  free_if_empty(slot);
  wake(at);
}

void ModelPort::flush(Time at, Port source) {
  reach(at);
  const Time visible = next_edge(at, cycle_) + delay_;
  const Port begin = source == kNoPort ? 0 : source;
  const Port end = source == kNoPort ? ports_ : source + 1;
  for (Port input = begin; input < end; ++input)
    for_each_port(requests_.row(input),
                  [&](Port output) { change({input, output}, [&] { no_longer_require({input, output}); }); });
  for (std::uint32_t s = 0; s < slots_; ++s) {
    for (Port input = begin; input < end; ++input)
      if (const Port output = slot_[s].destination_of(input); output != kNoPort) {
        disestablish(visible, s, {input, output});
        network_->lost(s, {input, output});
      }
    free_if_empty(s);
  }
  wake(at);
}

void ModelPort::advance(Time until, std::vector<Grant>& grants) {
  reach(until);
  // What a pass on the edge `until` changes is visible now only without latency; otherwise the pass waits, to
  // see what is still asked at this instant.
  if (delay_ == Time{} && pass_edge_ == until) pass();
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
  return pass_edge_ == Time::never() ? Time::never() : pass_edge_ + delay_;
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
