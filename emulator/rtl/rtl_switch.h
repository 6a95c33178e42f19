// A whole switch in RTL under Verilator: a switch node and its NICs, with the PEs, the wires and the analog
// fabric between them in C++, for the parameters of preset ch5 and a clock of 10 ns:
//
//   technique   node               NIC
//   tdm         switch_node.sv     nic.sv         predictor timeout, no demand guard
//   wormhole    wormhole_node.sv   worm_nic.sv    flits of a word
//   hybrid      hybrid_node.sv     hybrid_nic.sv  both; an analog fabric with one clock of latency
//   circuit     circuit_node.sv    circuit_nic.sv
//
//   RtlSwitch rtl(design.models, parameters);
//   rtl.send(message);
//   rtl.clock();
//   if (rtl.output(3) != 0) ...  // a word leaves the fabric to port 3
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "emulator/network/message.h"
#include "emulator/parameters.h"
#include "emulator/rtl/rtl_block.h"

namespace hybrid {

/// What was put in `delay` clocks ago; before that a default value.
template <class T>
class Delay {
 public:
  explicit Delay(std::int64_t delay) : values_(static_cast<std::size_t>(delay) + 1) {}
  T& in(std::int64_t now) { return values_[static_cast<std::size_t>(now) % values_.size()]; }
  const T& out(std::int64_t now) const { return values_[static_cast<std::size_t>(now + 1) % values_.size()]; }

 private:
  std::vector<T> values_;
};

/// Constants of all switches in RTL, and what follows from the technique.
struct RtlNetwork {
  static constexpr Time kClock = nanoseconds(10);
  static constexpr std::uint32_t kDepth = 16;  // words of a NIC's queue
  static constexpr std::uint32_t kMostPorts = 32;
  // In clocks:
  static constexpr std::int64_t kWire = 8;      // between a NIC and the switch
  static constexpr std::int64_t kToFabric = 5;  // from the start of a word on its link to the fabric
  /// What a node with worms does in its clock t is in effect in clock t - kWormLag of the emulator: the
  /// registers of its inputs take one of the wires' clocks.
  static constexpr std::int64_t kWormLag = 1;
  static constexpr std::int64_t kFabric = 1;  // latency of the analog fabric of technique hybrid

  explicit RtlNetwork(const SwitchParameters& p)
      : has_slots(p.technique == "tdm" || p.technique == "hybrid"),
        has_worms(p.technique == "wormhole" || p.technique == "hybrid"),
        on_demand(p.technique == "circuit"),
        lag(has_worms ? kWormLag : 0) {}
  static constexpr std::int64_t clocks(Time t) { return t / kClock; }
  /// From a pass of the round-robin scheduler until its grants hold.
  static Time setup(const SwitchParameters& p) {
    return p.scheduler.delay() + (p.technique == "wormhole" ? Time{} : p.reconfiguration);
  }
  /// What a word on a link contains: the message's id (up to 2^20) and the number of the word in it, modulo
  /// 2^12.
  static std::uint32_t word_of(std::uint64_t message, std::uint64_t place) {
    return static_cast<std::uint32_t>(message << 12 | (place & 0xfff));
  }

  bool has_slots, has_worms, on_demand;  // on_demand: circuit switching
  std::int64_t lag;                      // kWormLag of a node with worms, else 0
};

class RtlSwitch : public RtlNetwork {
 public:
  /// A message that was offered to its NIC in this clock.
  struct Offer {
    std::uint64_t message;
    bool hit;  // the NIC's table had its connection
  };

  /// By source, a bit for each destination.
  using Rows = std::array<std::uint32_t, kMostPorts>;
  using Words = Rows;  // in each place a word plus 1; 0: none
  /// Control words of a clock.
  struct Control {
    bool preloads = false;
    std::uint32_t slot = 0;
    Configuration configuration;
    std::uint64_t flush = 0;
    Rows request{}, release{}, waits{};
  };
  struct Notices {
    Rows lost{}, established{};
  };

  /// Uses of `p`: technique, nodes, slot length, guard, reconfiguration, time-out, each a multiple of kClock;
  /// of worms the limit and the overhead. Writes the signals of the switch node to `waveform` if that is not
  /// empty, and those of NIC u to `waveform`.nic-u.fst.
  RtlSwitch(const RtlModels& models, const SwitchParameters& p, const std::string& waveform = {})
      : RtlNetwork(p),
        n_(p.nodes),
        node_(models.node(waveform, models.faults.node)),
        pes_(n_),
        worm_limit_(p.worm_limit / p.word),
        worm_overhead_(p.worm_overhead_words) {
    while (Port{1} << port_bits_ < n_) ++port_bits_;
    node_->slot_length = clocks(p.slot_length);
    node_->guard = clocks(p.guard);
    node_->reconfiguration = clocks(p.reconfiguration);
    node_->wormhole_length = clocks(p.wormhole_slot_length);
    node_->setup = clocks(setup(p));
    node_->open = 1;
    node_->initialize();
    for (Port u = 0; u < n_; ++u) {
      nics_.push_back(models.nic(
          waveform.empty() ? waveform : waveform + ".nic-" + std::to_string(u) + ".fst", models.faults.nic));
      RtlBlock& nic = *nics_.back();
      nic.timeout = clocks(p.predictor_timeout);
      nic.length = worm_limit_ + worm_overhead_;
      nic.may_send = 1;
      nic.initialize();
    }
  }

  // Calls of the host in the next clock. One preload a clock.
  void send(const Message& message) {
    const std::uint64_t payload = std::max<std::uint64_t>(1, (message.bytes + 7) / 8);
    pes_[message.connection.source].waiting.push_back({now_, message, payload});
  }
  void preload(std::uint32_t slot, const Configuration& configuration) {
    Control& control = control_.in(now_);
    control.preloads = true;
    control.slot = slot;
    control.configuration = configuration;
  }
  void flush(Port source) {
    control_.in(now_).flush |= source == kNoPort ? (std::uint64_t{1} << n_) - 1 : std::uint64_t{1} << source;
  }

  void clock() {
    offers_.clear();
    before_the_edge();
    after_the_edge();
    control_.in(++now_) = Control{};
  }

  // After clock():
  std::int64_t now() const { return now_; }  // number of clocks
  /// The word that starts on the link of NIC u, and the one that leaves the fabric to port v, plus 1; 0:
  /// none.
  std::uint32_t link(Port u) const { return sent_[u]; }
  std::uint32_t output(Port v) const { return outputs_[v]; }
  const std::vector<Offer>& offers() const { return offers_; }
  /// A word entered NIC u in this clock.
  bool accepted(Port u) const { return (accepted_ >> u & 1) != 0; }
  /// Destination plus 1 of the word of a worm on the link of NIC u, and of that which leaves input u of the
  /// node; 0: none.
  std::uint32_t worm_to(Port u) { return worms_.in(now_ - 1).destination(u); }
  std::uint32_t worm_leaves(Port u) { return credits_.in(now_ - 1).destination(u); }
  /// What the NICs sent and the node reported in this clock.
  const Control& control_words() { return control_.in(now_ - 1); }
  const Notices& notices() { return notices_.in(now_ - 1); }
  /// The circuits of the NICs: predictive ones in their tables, or those on demand that they hold.
  Rows circuits() const {
    Rows rows{};
    for (Port u = 0; u < n_; ++u) rows[u] = circuits(*nics_[u]);
    return rows;
  }
  /// The node's connections of these inputs.
  Rows fabric(const Signal& inputs) const {
    Rows rows{};
    for (Port u = 0; u < n_; ++u)
      if (bits(inputs, u, 1) != 0) rows[u] = std::uint32_t{1} << port_of(node_->connection, u);
    return rows;
  }
  const RtlBlock& node() const { return *node_; }

 private:
  /// Offers the words of its messages one after the other.
  struct Pe {
    struct Waiting {
      std::int64_t sent;
      Message message;
      std::uint64_t words;  // as worms, with those that travel with them
    };
    std::int64_t first_clock() const { return place == 0 ? std::max(free, waiting.front().sent + 1) : free; }
    bool is_last() const { return place + 1 == waiting.front().words; }

    std::deque<Waiting> waiting;
    std::int64_t free = 0;    // earliest clock of the next word
    std::uint64_t place = 0;  // of the next word in its message
  };
  struct Grants {
    bool begins = false;  // the slot
    std::uint64_t granted = 0, connected = 0;
    std::array<Port, kMostPorts> to{};
  };
  struct Worms {
    std::uint32_t destination(Port u) const { return words[u] == 0 ? 0 : to[u] + 1; }
    Words words{};
    std::uint64_t tail = 0;
    std::array<Port, kMostPorts> to{};
  };

  const Signal& circuits(const RtlBlock& nic) const { return on_demand ? nic.held : nic.in_table; }

  static void settle(RtlBlock& block, std::uint64_t clk) {
    block.clk = clk;
    block.settle();
  }

  /// Sets all inputs (those that the model does not have are ignored, see Signal) and computes the outputs
  /// that depend on them in the same clock.
  void before_the_edge() {
    node_->reset = now_ < lag ? 1 : 0;
    if (has_slots || on_demand) give_control_words();
    if (has_worms) give_worms();
    settle(*node_, 0);
    Notices& notices = notices_.in(now_);
    for (std::size_t u = 0; has_slots && u < n_; ++u) {
      notices.lost[u] = static_cast<std::uint32_t>(bits(node_->lost, u * n_, n_));
      notices.established[u] = static_cast<std::uint32_t>(bits(node_->established, u * n_, n_));
    }
    accepted_ = releases_.in(now_) = 0;
    for (Port u = 0; u < n_; ++u) nic_before_the_edge(u);
  }
  void give_control_words() {
    const Control& arrived = control_.out(now_);
    node_->flush = arrived.flush;
    node_->preload = arrived.preloads ? 1 : 0;
    node_->preload_slot = arrived.slot;
    if (arrived.preloads) {
      node_->configuration = 0;
      for (const Connection c : arrived.configuration.connections())
        set_bits(node_->configuration, std::size_t{c.source} * n_ + c.destination, 1, 1);
    }
    Signal& request = has_worms ? node_->circuit_request : node_->request;
    Signal& release = has_worms ? node_->circuit_release : node_->release_;
    for (std::size_t u = 0; u < n_; ++u) {
      set_bits(request, u * n_, n_, arrived.request[u]);
      if (has_slots) set_bits(release, u * n_, n_, arrived.release[u]);
      if (has_worms) set_bits(node_->waits, u * n_, n_, arrived.waits[u]);
    }
    if (on_demand) release = releases_.out(now_);
  }
  void give_worms() {
    const Worms& arrived = worms_.out(now_);
    for (Port u = 0; u < n_; ++u) {
      set_bits(node_->arrives, u, 1, arrived.words[u] != 0 ? 1 : 0);
      if (arrived.words[u] == 0) continue;
      set_bits(node_->tail, u, 1, arrived.tail >> u & 1);
      set_bits(node_->destination, u * port_bits_, port_bits_, arrived.to[u]);
      set_bits(node_->word, std::size_t{u} * 32, 32, arrived.words[u] - 1);
    }
  }
  void nic_before_the_edge(Port u) {
    RtlBlock& nic = *nics_[u];
    Pe& pe = pes_[u];
    Control& control = control_.in(now_);
    nic.flush = control.flush >> u & 1;
    nic.begins = grants_.out(now_).begins ? 1 : 0;
    nic.granted = grants_.out(now_).granted >> u & 1;
    nic.grant = grants_.out(now_).to[u];
    nic.lost = notices_.out(now_).lost[u];
    nic.established = notices_.out(now_).established[u];
    nic.credit = credits_.out(now_).words[u] != 0 ? 1 : 0;
    nic.credit_of = credits_.out(now_).to[u];
    const bool offers = !pe.waiting.empty() && now_ >= pe.first_clock();
    nic.offers = offers ? 1 : 0;
    if (offers) {
      const Message& message = pe.waiting.front().message;
      nic.first = pe.place == 0 ? 1 : 0;
      nic.destination = message.connection.destination;
      nic.word = word_of(message.id, pe.place);
      if (pe.place == 0 && now_ == pe.first_clock()) offer(nic, pe.waiting.front());
      nic.last = pe.is_last() ? 1 : 0;
    }
    settle(nic, 0);
    if (has_slots || on_demand) {
      control.request[u] = nic.request;
      control.release[u] = on_demand && nic.release_ != 0 ? nic.held : nic.release_;
    }
    if (has_slots) control.waits[u] = nic.waits;
    if (on_demand) releases_.in(now_) |= std::uint64_t{nic.release_} << u;
    accepted_ |= std::uint64_t{nic.accepted} << u;
    if (!offers || nic.accepted == 0) return;
    pe.free = now_ + 1;
    if (pe.is_last()) {
      pe.waiting.pop_front();
      pe.place = 0;
    } else {
      ++pe.place;
    }
  }

  /// The NIC's choice of how the message travels gives the number of words.
  void offer(RtlBlock& nic, Pe::Waiting& waiting) {
    bool by_worms = has_worms;
    if (has_slots && has_worms) {
      nic.last = 0;
      settle(nic, 0);
      by_worms = nic.by_worms != 0;
    }
    if (has_slots || on_demand)
      offers_.push_back({waiting.message.id,
                         !by_worms && bits(circuits(nic), waiting.message.connection.destination, 1) != 0});
    if (by_worms) waiting.words += (waiting.words + worm_limit_ - 1) / worm_limit_ * worm_overhead_;
  }

  void after_the_edge() {
    settle(*node_, 1);
    for (Port u = 0; u < n_; ++u) {
      RtlBlock& nic = *nics_[u];
      settle(nic, 1);
      sent_[u] = nic.sends == 0 ? 0 : nic.link + 1;
      const bool worm = has_worms && (!has_slots || nic.worm != 0);
      links_.in(now_)[u] = worm ? 0 : sent_[u];
      worms_.in(now_).words[u] = worm ? sent_[u] : 0;
    }
    outputs_ = Words{};
    if (has_slots || on_demand) move_over_circuits();
    if (has_worms) move_worms();
  }
  void move_over_circuits() {
    Grants& grants = grants_.in(now_);
    if (has_slots) grants.begins = node_->begins != 0;
    grants.granted = bits(node_->granted, 0, n_);
    grants.connected = bits(node_->connected, 0, n_);
    for (Port u = 0; u < n_; ++u) grants.to[u] = port_of(node_->connection, u);
    fabric_.in(now_) = grants;
    // A word leaves the fabric where its input is connected to, wherever it should go.
    const Grants& fabric = on_demand ? grants : fabric_.out(now_);
    Words& out = out_.in(now_);
    out = {};
    for (Port u = 0; u < n_; ++u)
      if (const std::uint32_t word = links_.out(now_)[u]; word != 0 && (fabric.connected >> u & 1) != 0)
        out[fabric.to[u]] = word;
    outputs_ = out_.out(now_);
  }
  void move_worms() {
    Worms& link = worms_.in(now_);
    link.tail = 0;
    Worms& credits = credits_.in(now_);
    for (Port u = 0; u < n_; ++u) {
      link.tail |= std::uint64_t{nics_[u]->tail} << u;
      link.to[u] = nics_[u]->link_to;
      credits.words[u] = static_cast<std::uint32_t>(bits(node_->sends, u, 1));
      credits.to[u] = port_of(node_->to, u);
      if (bits(node_->out, u, 1) != 0)
        outputs_[u] = static_cast<std::uint32_t>(bits(node_->out_word, std::size_t{u} * 32, 32)) + 1;
    }
  }

  /// Port u of a vector of ports.
  Port port_of(const Signal& ports, Port u) const {
    return static_cast<Port>(bits(ports, u * port_bits_, port_bits_));
  }

  Port n_;
  std::size_t port_bits_ = 1;
  std::unique_ptr<RtlBlock> node_;
  std::vector<std::unique_ptr<RtlBlock>> nics_;
  std::vector<Pe> pes_;
  std::uint64_t worm_limit_, worm_overhead_;  // words
  Delay<Control> control_{kWire + 1 + lag};   // and a clock in the NIC
  Delay<std::uint64_t> releases_{kWire};      // of circuits on demand
  Delay<Notices> notices_{kWire - lag};
  Delay<Grants> grants_{kWire - lag};
  Delay<Grants> fabric_{kWire + kToFabric - lag};
  Delay<Words> links_{kToFabric}, out_{has_slots && has_worms ? kFabric : 0};
  Delay<Worms> worms_{kWire}, credits_{kWire - lag};
  Words sent_{}, outputs_{};
  std::uint64_t accepted_ = 0;  // by NIC
  std::vector<Offer> offers_;
  std::int64_t now_ = 0;
};

}  // namespace hybrid
