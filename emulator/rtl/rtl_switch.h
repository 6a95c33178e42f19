// A whole switch in RTL under Verilator: a switch node and its NICs, with the PEs, the wires and the analog
// fabric between them in C++, for the parameters of preset ch5 and a clock of 10 ns:
//
//   technique   node               NIC
//   tdm         switch_node.sv     nic.sv         predictor timeout, no demand guard
//   wormhole    wormhole_node.sv   worm_nic.sv    flits of a word
//   hybrid      hybrid_node.sv     hybrid_nic.sv  both; an analog fabric with one clock of latency
//   circuit     circuit_node.sv    circuit_nic.sv
//
//   RtlSwitch<VSwitchNode8, VNic8> rtl(parameters);
//   rtl.send(message);
//   rtl.clock();
//   if (rtl.output(3) != 0) ...  // a word leaves the fabric to port 3
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "emulator/network/message.h"
#include "emulator/parameters.h"
#include "emulator/rtl/verilated_block.h"

namespace hybrid {

/// Access to up to 57 bits of a vector of a Verilated block, from bit `begin` on. Verilator stores bit 0
/// first, in words of the host.
template <class Vector>
std::uint64_t bits(const Vector& vector, std::size_t begin, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(&vector) + begin / 8,
              (begin % 8 + count + 7) / 8);
  return word >> begin % 8 & ((std::uint64_t{1} << count) - 1);
}
template <class Vector>
void set_bits(Vector& vector, std::size_t begin, std::size_t count, std::uint64_t value) {
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(&vector) + begin / 8;
  const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, (begin % 8 + count + 7) / 8);
  word = (word & ~(mask << begin % 8)) | (value & mask) << begin % 8;
  std::memcpy(bytes, &word, (begin % 8 + count + 7) / 8);
}

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

/// What all switches in RTL have in common.
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
};

template <class Node, class Nic>
class RtlSwitch : public RtlNetwork {
 public:
  // The technique, by the ports of its NIC.
  static constexpr bool kSlots = requires(Nic& nic) { nic.in_table; };
  static constexpr bool kWorms = requires(Nic& nic) { nic.credit; };
  static constexpr bool kOnDemand = requires(Nic& nic) { nic.held; };  // circuit switching
  static constexpr std::int64_t kLag = kWorms ? kWormLag : 0;
  /// Latency of the analog fabric, in clocks.
  static constexpr std::int64_t kFabric = kSlots && kWorms ? 1 : 0;

  /// A message that was offered to its NIC in this clock.
  struct Offer {
    std::uint64_t message;
    bool hit;  // the NIC's table had its connection
  };

  /// By source, a bit for each destination.
  using Rows = std::array<std::uint32_t, kMostPorts>;
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

  /// Faults of the node and of all NICs (VerilatedBlock::set_fault).
  struct Faults {
    typename VerilatedBlock<Node>::Fault node = nullptr;
    typename VerilatedBlock<Nic>::Fault nic = nullptr;
  };

  /// Uses of `parameters`: nodes, slot length, guard, reconfiguration, time-out, each a multiple of kClock;
  /// of worms the limit and the overhead. Writes the signals of the switch node to `waveform` if that is not
  /// empty, and those of NIC u to `waveform`.nic-u.fst.
  explicit RtlSwitch(const SwitchParameters& parameters, const std::string& waveform = {},
                     const Faults& faults = {})
      : n_(parameters.nodes),
        node_(waveform),
        pes_(n_),
        worm_limit_(parameters.worm_limit / parameters.word) {
    while (Port{1} << port_bits_ < n_) ++port_bits_;
    node_.set_fault(faults.node);
    if constexpr (kSlots) {
      node_->slot_length = static_cast<CData>(clocks(parameters.slot_length));
      node_->guard = static_cast<CData>(clocks(parameters.guard));
      node_->reconfiguration = static_cast<CData>(clocks(parameters.reconfiguration));
    } else if constexpr (kWorms) {
      node_->open = 1;
    }
    if constexpr (kWorms || kOnDemand) node_->setup = static_cast<CData>(clocks(setup(parameters)));
    if constexpr (kWorms) worm_overhead_ = parameters.worm_overhead_words;
    if constexpr (kSlots && kWorms)
      node_->wormhole_length = static_cast<CData>(clocks(parameters.wormhole_slot_length));
    reset(node_);
    for (Port u = 0; u < n_; ++u) {
      VerilatedBlock<Nic>& nic =
          nics_.emplace_back(waveform.empty() ? waveform : waveform + ".nic-" + std::to_string(u) + ".fst");
      nic.set_fault(faults.nic);
      if constexpr (kSlots) nic->timeout = static_cast<SData>(clocks(parameters.predictor_timeout));
      if constexpr (kWorms) nic->length = static_cast<CData>(worm_limit_ + worm_overhead_);
      if constexpr (kWorms && !kSlots) nic->may_send = 1;
      reset(nic);
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
    control_.in(now_).flush |= source == kNoPort ? ~std::uint64_t{0} : std::uint64_t{1} << source;
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
  std::uint32_t worm_to(Port u) {
    if constexpr (kSlots)
      if (nics_[u]->worm == 0) return 0;
    return nics_[u]->sends == 0 ? 0 : nics_[u]->link_to + 1;
  }
  std::uint32_t worm_leaves(Port u) { return bits(node_->sends, u, 1) == 0 ? 0 : port_of(node_->to, u) + 1; }
  /// What the NICs sent and the node reported in this clock.
  const Control& control_words() { return control_.in(now_ - 1); }
  const Notices& notices() { return notices_.in(now_ - 1); }
  std::uint64_t table(Port u) { return bits(nics_[u]->in_table, 0, n_); }
  /// Circuits on demand that NICs hold.
  Rows held() {
    Rows rows{};
    for (Port u = 0; u < n_; ++u) rows[u] = static_cast<std::uint32_t>(bits(nics_[u]->held, 0, n_));
    return rows;
  }
  /// The node's connections of these inputs.
  template <class Inputs>
  Rows fabric(const Inputs& inputs) {
    Rows rows{};
    for (Port u = 0; u < n_; ++u)
      if (bits(inputs, u, 1) != 0) rows[u] = std::uint32_t{1} << port_of(node_->connection, u);
    return rows;
  }
  Node& node() { return *node_.operator->(); }

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
  /// A word in each place, plus 1; 0: none.
  using Words = std::array<std::uint32_t, kMostPorts>;
  struct Worms {
    Words words{};
    std::uint64_t tail = 0;
    std::array<Port, kMostPorts> to{};
  };

  template <class Model>
  static void reset(VerilatedBlock<Model>& block) {
    block->reset = 1;
    block.clock(block->clk);
    block->reset = 0;
  }

  /// Sets all inputs and computes the outputs that depend on them in the same clock.
  void before_the_edge() {
    node_->reset = now_ < kLag ? 1 : 0;
    if constexpr (kSlots || kOnDemand) give_control_words();
    if constexpr (kWorms) give_worms();
    node_->clk = 0;
    node_.settle();
    if constexpr (kSlots) {
      Notices& notices = notices_.in(now_);
      for (Port u = 0; u < n_; ++u) {
        notices.lost[u] = static_cast<std::uint32_t>(bits(node_->lost, std::size_t{u} * n_, n_));
        notices.established[u] =
            static_cast<std::uint32_t>(bits(node_->established, std::size_t{u} * n_, n_));
      }
    }
    for (Port u = 0; u < n_; ++u) nic_before_the_edge(u);
  }
  void give_control_words() {
    const Control& arrived = control_.out(now_);
    if constexpr (kOnDemand) {
      for (Port u = 0; u < n_; ++u) set_bits(node_->request, std::size_t{u} * n_, n_, arrived.request[u]);
      set_bits(node_->release_, 0, n_, releases_.out(now_));
    } else {
      give_slot_control_words(arrived);
    }
  }
  void give_slot_control_words(const Control& arrived) {
    set_bits(node_->flush, 0, n_, arrived.flush);
    node_->preload = arrived.preloads ? 1 : 0;
    if (arrived.preloads) {
      node_->preload_slot = static_cast<CData>(arrived.slot);
      std::memset(&node_->configuration, 0, sizeof node_->configuration);
      for (const Connection c : arrived.configuration.connections())
        set_bits(node_->configuration, std::size_t{c.source} * n_ + c.destination, 1, 1);
    }
    for (Port u = 0; u < n_; ++u) {
      const std::size_t row = std::size_t{u} * n_;
      if constexpr (kWorms) {
        set_bits(node_->circuit_request, row, n_, arrived.request[u]);
        set_bits(node_->circuit_release, row, n_, arrived.release[u]);
        set_bits(node_->waits, row, n_, arrived.waits[u]);
      } else {
        set_bits(node_->request, row, n_, arrived.request[u]);
        set_bits(node_->release_, row, n_, arrived.release[u]);
      }
    }
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
    VerilatedBlock<Nic>& nic = nics_[u];
    Pe& pe = pes_[u];
    Control& control = control_.in(now_);
    if constexpr (kSlots) {
      nic->flush = static_cast<CData>(control.flush >> u & 1);
      nic->granted = static_cast<CData>(grants_.out(now_).granted >> u & 1);
      nic->grant = static_cast<CData>(grants_.out(now_).to[u]);
      set_bits(nic->lost, 0, n_, notices_.out(now_).lost[u]);
      set_bits(nic->established, 0, n_, notices_.out(now_).established[u]);
    }
    if constexpr (kOnDemand) {
      nic->granted = static_cast<CData>(grants_.out(now_).granted >> u & 1);
      nic->grant = static_cast<CData>(grants_.out(now_).to[u]);
    }
    if constexpr (kWorms) {
      nic->credit = credits_.out(now_).words[u] != 0 ? 1 : 0;
      nic->credit_of = static_cast<CData>(credits_.out(now_).to[u]);
    }
    if constexpr (kSlots && kWorms) nic->begins = grants_.out(now_).begins ? 1 : 0;
    const bool offers = !pe.waiting.empty() && now_ >= pe.first_clock();
    nic->offers = offers ? 1 : 0;
    if (offers) {
      const Message& message = pe.waiting.front().message;
      if constexpr (kSlots || kOnDemand) nic->first = pe.place == 0 ? 1 : 0;
      nic->destination = static_cast<CData>(message.connection.destination);
      nic->word = word_of(message.id, pe.place);
      if (pe.place == 0 && now_ == pe.first_clock()) offer(nic, pe.waiting.front());
      nic->last = pe.is_last() ? 1 : 0;
    }
    nic->clk = 0;
    nic.settle();
    if constexpr (kSlots) {
      control.request[u] = static_cast<std::uint32_t>(bits(nic->request, 0, n_));
      control.release[u] = static_cast<std::uint32_t>(bits(nic->release_, 0, n_));
      control.waits[u] = static_cast<std::uint32_t>(bits(nic->waits, 0, n_));
    }
    if constexpr (kOnDemand) {
      control.request[u] = static_cast<std::uint32_t>(bits(nic->request, 0, n_));
      control.release[u] = nic->release_ == 0 ? 0 : static_cast<std::uint32_t>(bits(nic->held, 0, n_));
      set_bits(releases_.in(now_), u, 1, nic->release_);
    }
    set_bits(accepted_, u, 1, nic->accepted);
    if (!offers || nic->accepted == 0) return;
    pe.free = now_ + 1;
    if (pe.is_last()) {
      pe.waiting.pop_front();
      pe.place = 0;
    } else {
      ++pe.place;
    }
  }

  /// The NIC's choice of how the message travels gives the number of words.
  void offer(VerilatedBlock<Nic>& nic, typename Pe::Waiting& waiting) {
    bool by_worms = kWorms && !kSlots;
    if constexpr (kSlots && kWorms) {
      nic->last = 0;
      nic->clk = 0;
      nic.settle();
      by_worms = nic->by_worms != 0;
    }
    if constexpr (kSlots)
      offers_.push_back({waiting.message.id,
                         !by_worms && bits(nic->in_table, waiting.message.connection.destination, 1) != 0});
    if constexpr (kOnDemand)
      offers_.push_back(
          {waiting.message.id, bits(nic->held, waiting.message.connection.destination, 1) != 0});
    if (by_worms) waiting.words += (waiting.words + worm_limit_ - 1) / worm_limit_ * worm_overhead_;
  }

  void after_the_edge() {
    node_->clk = 1;
    node_.settle();
    for (Port u = 0; u < n_; ++u) {
      nics_[u]->clk = 1;
      nics_[u].settle();
      sent_[u] = nics_[u]->sends == 0 ? 0 : nics_[u]->link + 1;
    }
    outputs_ = Words{};
    if constexpr (kSlots || kOnDemand) move_over_circuits();
    if constexpr (kWorms) move_worms();
  }
  void move_over_circuits() {
    Grants& grants = grants_.in(now_);
    if constexpr (kSlots) grants.begins = node_->begins != 0;
    grants.granted = bits(node_->granted, 0, n_);
    grants.connected = bits(node_->connected, 0, n_);
    for (Port u = 0; u < n_; ++u) grants.to[u] = port_of(node_->connection, u);
    fabric_.in(now_) = grants;
    Words& link = links_.in(now_);
    link = sent_;
    if constexpr (kWorms)
      for (Port u = 0; u < n_; ++u)
        if (nics_[u]->worm != 0) link[u] = 0;
    // A word leaves the fabric where its input is connected to, wherever it should go.
    const Grants& fabric = kOnDemand ? grants : fabric_.out(now_);
    Words& out = out_.in(now_);
    out = {};
    for (Port u = 0; u < n_; ++u)
      if (const std::uint32_t word = links_.out(now_)[u]; word != 0 && (fabric.connected >> u & 1) != 0)
        out[fabric.to[u]] = word;
    outputs_ = out_.out(now_);
  }
  void move_worms() {
    Worms& link = worms_.in(now_);
    link = {};
    link.words = sent_;
    if constexpr (kSlots)
      for (Port u = 0; u < n_; ++u)
        if (nics_[u]->worm == 0) link.words[u] = 0;
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
  template <class Vector>
  Port port_of(const Vector& ports, Port u) const {
    return static_cast<Port>(bits(ports, u * port_bits_, port_bits_));
  }

  Port n_;
  std::size_t port_bits_ = 1;
  VerilatedBlock<Node> node_;
  std::deque<VerilatedBlock<Nic>> nics_;
  std::vector<Pe> pes_;
  std::uint64_t worm_limit_, worm_overhead_ = 0;  // words
  Delay<Control> control_{kWire + 1 + kLag};      // and a clock in the NIC
  Delay<std::uint64_t> releases_{kWire};          // of circuits on demand
  Delay<Notices> notices_{kWire - kLag};
  Delay<Grants> grants_{kWire - kLag};
  Delay<Grants> fabric_{kWire + kToFabric - kLag};
  Delay<Words> links_{kToFabric}, out_{kFabric};
  Delay<Worms> worms_{kWire}, credits_{kWire - kLag};
  Words sent_{}, outputs_{};
  std::uint64_t accepted_ = 0;  // by NIC
  std::vector<Offer> offers_;
  std::int64_t now_ = 0;
};

}  // namespace hybrid
