#include "emulator/bench/systemc_switch.h"

#include <array>
#include <bit>
#include <string>
#include <systemc>
#include <vector>

namespace hybrid::bench {

namespace {

using Cycle = std::uint64_t;

/// In cycles.
constexpr Cycle kWire = 8;
constexpr Cycle kSchedulerPeriod = 8;  // and latency
constexpr std::uint32_t kWords = 16;   // of a message, and of a worm

constexpr std::uint32_t kMostPorts = 128;

/// Word on a link in one cycle.
struct LinkWord {
  bool valid = false, last = false;
  Port destination = 0;
  std::uint64_t message = 0;  // number of the message at its sender
  bool operator==(const LinkWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const LinkWord& w) { return out << w.message; }
void sc_trace(sc_core::sc_trace_file*, const LinkWord&, const std::string&) {}

/// Word at an output of the fabric.
struct FabricWord {
  bool valid = false, last = false;
  Port source = 0;
  std::uint64_t message = 0;
  bool operator==(const FabricWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const FabricWord& w) { return out << w.message; }
void sc_trace(sc_core::sc_trace_file*, const FabricWord&, const std::string&) {}

/// Set of ports in one signal.
struct Mask {
  std::array<std::uint64_t, kMostPorts / 64> words{};
  void set(Port p) { words[p / 64] |= std::uint64_t{1} << p % 64; }
  void reset(Port p) { words[p / 64] &= ~(std::uint64_t{1} << p % 64); }
  bool operator==(const Mask&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Mask& m) { return out << m.words[0]; }
void sc_trace(sc_core::sc_trace_file*, const Mask&, const std::string&) {}

/// Delays values by `kDelay` cycles.
template <class T, std::size_t kDelay>
class DelayLine {
 public:
  /// Stores the value of this cycle and returns the one from kDelay cycles ago.
  T shift(const T& in) {
    T out = slots_[at_];
    slots_[at_] = in;
    at_ = at_ + 1 == kDelay ? 0 : at_ + 1;
    return out;
  }

 private:
  std::array<T, kDelay> slots_{};
  std::size_t at_ = 0;
};

/// First-in first-out queue of fixed capacity.
template <class T>
class Fifo {
 public:
  explicit Fifo(std::size_t size = 0) : slots_(size) {}
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == slots_.size(); }
  const T& front() const { return slots_[head_]; }
  void push(const T& value) {
    const std::size_t tail = head_ + size_++;
    slots_[tail < slots_.size() ? tail : tail - slots_.size()] = value;
  }
  void pop() {
    head_ = head_ + 1 == slots_.size() ? 0 : head_ + 1;
    --size_;
  }

 private:
  std::vector<T> slots_;
  std::size_t head_ = 0, size_ = 0;
};

using sc_core::sc_in;
using sc_core::sc_module_name;
using sc_core::sc_out;

/// Clock: notifies `tick` once per cycle while cycles are left. (An sc_clock would have a second edge.)
SC_MODULE(Clock) {
  sc_core::sc_event tick;
  Cycle cycle = 0;
  Cycle left = 0;

  SC_CTOR(Clock) {
    SC_METHOD(next);
    sensitive << tick;
    dont_initialize();
  }
  void start(Cycle cycles) {
    left = cycles;
    tick.notify(sc_core::sc_time(10, sc_core::SC_NS));
  }
  void next() {
    ++cycle;
    if (--left > 0) tick.notify(sc_core::sc_time(10, sc_core::SC_NS));
  }
};

/// PE and NIC: generates words, sends them while it has credits, receives arriving words.
SC_MODULE(Nic) {
  SC_HAS_PROCESS(Nic);

  sc_out<LinkWord> link;
  sc_in<int> credit;  // destination of the virtual queue with a freed place, or -1
  sc_in<FabricWord> arriving;

  Port port;
  std::uint32_t nodes;
  Fifo<LinkWord> queue;  // Q_W
  std::vector<std::uint32_t> credits;
  DelayLine<int, kWire - 1> credit_wire;
  DelayLine<FabricWord, kWire - 1 + 1> arriving_wire;  // and the NIC's own cycle
  // The PE
  std::uint64_t message = 0;
  std::uint32_t word = 0;
  Port to;
  Cycle cycle = 0;
  Delivered delivered;

  Nic(const sc_module_name& name, Port p, const SwitchParameters& parameters, const sc_core::sc_event& tick)
      : sc_module(name),
        port(p),
        nodes(parameters.nodes),
        queue(parameters.buffer / parameters.word),
        credits(nodes, static_cast<std::uint32_t>(parameters.buffer / parameters.word)),
        to(destination(nodes, p, 0)) {
    for (std::size_t i = 0; i < kWire - 1; ++i) credit_wire.shift(-1);
    SC_METHOD(step);
    sensitive << tick;
    dont_initialize();
  }

  void step() {
    if (const int freed = credit_wire.shift(credit.read()); freed >= 0)
      ++credits[static_cast<std::size_t>(freed)];
    // A word that entered in the previous cycle can leave.
    LinkWord out;
    if (!queue.empty() && credits[queue.front().destination] > 0) {
      out = queue.front();
      queue.pop();
      --credits[out.destination];
    }
    link.write(out);
    // The first word of the first message is offered one cycle after the send at 0.
    if (cycle > 0 && !queue.full()) {
      const bool last = ++word == kWords;
      queue.push({true, last, to, message});
      if (last) {
        word = 0;
        to = destination(nodes, port, ++message);
      }
    }
    if (const FabricWord in = arriving_wire.shift(arriving.read()); in.valid && in.last)
      delivered.add(in.source, port, in.message, cycle, kMessage);
    ++cycle;
  }
};

/// Virtual queues VQ_W of a switch input, and the worm that it currently sends.
SC_MODULE(Input) {
  SC_HAS_PROCESS(Input);

  sc_in<LinkWord> link;
  sc_out<int> credit;
  sc_out<Mask> requests;
  sc_in<int> grant;       // output, or -1
  sc_out<int> busy;       // output of the worm in progress, or -1
  sc_out<LinkWord> word;  // to the fabric

  std::vector<Fifo<LinkWord>> queues;
  DelayLine<LinkWord, kWire - 2> wire;  // the word of the link enters the queue at the end of step()
  Mask requested;
  int output = -1;
  Cycle wait = 0;  // cycles until the grant is effective
  std::uint32_t left = 0;

  Input(const sc_module_name& name, const SwitchParameters& parameters, const sc_core::sc_event& tick)
      : sc_module(name), queues(parameters.nodes, Fifo<LinkWord>(parameters.buffer / parameters.word)) {
    SC_METHOD(step);
    sensitive << tick;
    dont_initialize();
  }

  void step() {
    if (output < 0 && grant.read() >= 0) {
      output = grant.read();
      wait = kSchedulerPeriod;  // counted from the previous cycle
      left = kWords;
      requested.reset(static_cast<Port>(output));
    }
    LinkWord out;
    int freed = -1;
    Port tail = 0;
    bool ended = false;
    if (output >= 0) {
      if (wait > 0) --wait;
      Fifo<LinkWord>& queue = queues[static_cast<std::size_t>(output)];
      if (wait == 0 && !queue.empty()) {
        out = queue.front();
        queue.pop();
        freed = output;
        if (--left == 0) {
          ended = true;
          tail = static_cast<Port>(output);
          output = -1;
        }
      }
    }
    word.write(out);
    credit.write(freed);
    // Queues with a word in the next cycle request in the next cycle.
    const LinkWord in = wire.shift(link.read());
    if (in.valid) {
      Fifo<LinkWord>& queue = queues[in.destination];
      queue.push(in);
      if (output != static_cast<int>(in.destination)) requested.set(in.destination);
    }
    if (ended && !queues[tail].empty()) requested.set(tail);
    requests.write(requested);
    busy.write(output);
  }
};

/// One-cycle all-port round robin: see emulator/network/wormhole_scheduler.h.
SC_MODULE(Scheduler) {
  SC_HAS_PROCESS(Scheduler);

  std::vector<sc_in<Mask>> requests;
  std::vector<sc_in<int>> busy;
  std::vector<sc_out<int>> grant;

  std::uint32_t nodes;
  Cycle cycle = 0;
  std::vector<Mask> requesting;  // inputs by output
  std::vector<Port> pointer;
  Port first = 0;

  Scheduler(const sc_module_name& name, const SwitchParameters& parameters, const sc_core::sc_event& tick)
      : sc_module(name),
        requests(parameters.nodes),
        busy(parameters.nodes),
        grant(parameters.nodes),
        nodes(parameters.nodes),
        requesting(nodes),
        pointer(nodes, 0) {
    SC_METHOD(step);
    sensitive << tick;
    dont_initialize();
  }

  /// Returns the first common member of `a` and `b`, cyclically from `from`, or -1.
  int first_of(const Mask& a, const Mask& b, Port from) const {
    const std::size_t words = (nodes + 63) / 64;
    const std::size_t start = from / 64;
    const std::uint64_t below = (std::uint64_t{1} << from % 64) - 1;
    for (std::size_t k = 0; k <= words; ++k) {
      const std::size_t w = (start + k) % words;
      std::uint64_t both = a.words[w] & b.words[w];
      if (k == 0) both &= ~below;
      if (k == words) both &= below;
      if (both != 0) return static_cast<int>(w * 64 + static_cast<std::size_t>(std::countr_zero(both)));
    }
    return -1;
  }

  void step() {
    const Cycle phase = cycle++ % kSchedulerPeriod;
    if (phase == 1)
      for (Port p = 0; p < nodes; ++p) grant[p].write(-1);
    if (phase != 0) return;
    Mask free_inputs, free_outputs;
    for (Port p = 0; p < nodes; ++p) {
      free_inputs.set(p);
      free_outputs.set(p);
      requesting[p] = Mask{};
    }
    Mask wanted;
    for (Port input = 0; input < nodes; ++input) {
      if (const int output = busy[input].read(); output >= 0) {
        free_inputs.reset(input);
        free_outputs.reset(static_cast<Port>(output));
      }
      const Mask& mask = requests[input].read();
      for (std::size_t w = 0; w < (nodes + 63) / 64; ++w)
        for (std::uint64_t rest = mask.words[w]; rest != 0; rest &= rest - 1) {
          const auto output = static_cast<Port>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
          requesting[output].set(input);
          wanted.set(output);
        }
    }
    bool granted = false;
    for (Port k = 0; k < nodes; ++k) {
      const Port output = first + k < nodes ? first + k : first + k - nodes;
      if ((wanted.words[output / 64] & free_outputs.words[output / 64] & std::uint64_t{1} << output % 64) ==
          0)
        continue;
      const int input = first_of(requesting[output], free_inputs, pointer[output]);
      if (input < 0) continue;
      granted = true;
      free_inputs.reset(static_cast<Port>(input));
      pointer[output] = static_cast<Port>(input) + 1 == nodes ? 0 : static_cast<Port>(input) + 1;
      grant[static_cast<std::size_t>(input)].write(static_cast<int>(output));
    }
    if (granted) first = first + 1 == nodes ? 0 : first + 1;
  }
};

/// Crossbar: passes the word of each input to its output.
SC_MODULE(Fabric) {
  SC_HAS_PROCESS(Fabric);

  std::vector<sc_in<LinkWord>> in;
  std::vector<sc_out<FabricWord>> out;
  std::vector<FabricWord> words;

  Fabric(const sc_module_name& name, const SwitchParameters& parameters, const sc_core::sc_event& tick)
      : sc_module(name), in(parameters.nodes), out(parameters.nodes), words(parameters.nodes) {
    SC_METHOD(step);
    sensitive << tick;
    dont_initialize();
  }

  void step() {
    for (FabricWord& word : words) word = {};
    for (std::size_t input = 0; input < in.size(); ++input) {
      const LinkWord& word = in[input].read();
      if (word.valid) words[word.destination] = {true, word.last, static_cast<Port>(input), word.message};
    }
    for (std::size_t output = 0; output < out.size(); ++output) out[output].write(words[output]);
  }
};

}  // namespace

struct SystemcSwitch::Model {
  template <class T>
  using Signals = std::vector<std::unique_ptr<sc_core::sc_signal<T>>>;
  template <class T>
  static Signals<T> signals(std::uint32_t count, const T& initial) {
    Signals<T> all;
    for (std::uint32_t i = 0; i < count; ++i)
      all.push_back(std::make_unique<sc_core::sc_signal<T>>(sc_core::sc_gen_unique_name("signal"), initial));
    return all;
  }
  static std::string named(const char* what, std::uint32_t nodes) {
    return std::string(what) + "_" + std::to_string(nodes);
  }

  explicit Model(const SwitchParameters& p)
      : clock(named("clock", p.nodes).c_str()),
        scheduler(named("scheduler", p.nodes).c_str(), p, clock.tick),
        fabric(named("fabric", p.nodes).c_str(), p, clock.tick),
        links(signals(p.nodes, LinkWord{})),
        words(signals(p.nodes, LinkWord{})),
        outs(signals(p.nodes, FabricWord{})),
        requests(signals(p.nodes, Mask{})),
        credits(signals(p.nodes, -1)),
        grants(signals(p.nodes, -1)),
        busy(signals(p.nodes, -1)) {
    for (Port port = 0; port < p.nodes; ++port) {
      nics.push_back(std::make_unique<Nic>(sc_core::sc_gen_unique_name("nic"), port, p, clock.tick));
      inputs.push_back(std::make_unique<Input>(sc_core::sc_gen_unique_name("input"), p, clock.tick));
      nics[port]->link(*links[port]);
      nics[port]->credit(*credits[port]);
      nics[port]->arriving(*outs[port]);
      inputs[port]->link(*links[port]);
      inputs[port]->credit(*credits[port]);
      inputs[port]->requests(*requests[port]);
      inputs[port]->grant(*grants[port]);
      inputs[port]->busy(*busy[port]);
      inputs[port]->word(*words[port]);
      scheduler.requests[port](*requests[port]);
      scheduler.busy[port](*busy[port]);
      scheduler.grant[port](*grants[port]);
      fabric.in[port](*words[port]);
      fabric.out[port](*outs[port]);
    }
  }

  Clock clock;
  Scheduler scheduler;
  Fabric fabric;
  Signals<LinkWord> links, words;
  Signals<FabricWord> outs;
  Signals<Mask> requests;
  Signals<int> credits, grants, busy;
  std::vector<std::unique_ptr<Nic>> nics;
  std::vector<std::unique_ptr<Input>> inputs;
};

SystemcSwitch::SystemcSwitch(const SwitchParameters& parameters)
    : model_(std::make_unique<Model>(parameters)) {}
SystemcSwitch::~SystemcSwitch() = default;

void SystemcSwitch::run(std::uint64_t cycles) {
  model_->clock.start(cycles);
  sc_core::sc_start();  // until no event is left
}

std::uint64_t SystemcSwitch::cycles() const { return model_->clock.cycle; }

Delivered SystemcSwitch::delivered() const {
  Delivered all;
  for (const auto& nic : model_->nics) {
    all.messages += nic->delivered.messages;
    all.bytes += nic->delivered.bytes;
    all.digest += nic->delivered.digest;
  }
  return all;
}

}  // namespace hybrid::bench
