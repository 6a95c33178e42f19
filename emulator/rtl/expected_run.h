// The emulator's run of a script as the signals of a switch in RTL (rtl_switch.h), by clock: words, bits and
// matrices of bits. network_comparison.h compares them.
//
//   ExpectedRun expected(parameters);
//   technique.observe(expected);
//   ...
//   expected.sort();
//   Level grants(expected.grants);
//   for (...) ... grants.at(clock) ...
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/timeline.h"
#include "emulator/parameters.h"
#include "emulator/rtl/rtl_switch.h"

namespace hybrid {

/// A vector of bits as Verilator stores it.
using Bits = std::array<unsigned char, 512>;

/// Changes of the bits of a vector. A bit is 1 while more of its changes were up than down.
struct Changes {
  struct Change {
    std::int64_t at;  // clock
    std::size_t bit;
    bool up;
  };
  void add(std::int64_t at, std::size_t bit, bool up) { all.push_back({at, bit, up}); }
  /// 1 in one clock.
  void pulse(std::int64_t at, std::size_t bit) {
    add(at, bit, true);
    add(at + 1, bit, false);
  }
  /// By clock. Within a clock the order has no effect.
  void sort() { std::ranges::sort(all, {}, &Change::at); }
  std::vector<Change> all;
};

/// The vector by clock.
class Level {
 public:
  explicit Level(const Changes& changes) : changes_(changes.all), ups_(sizeof(Bits) * 8) {}
  /// Requires: `now` is not before that of the last call.
  const Bits& at(std::int64_t now) {
    for (; next_ < changes_.size() && changes_[next_].at <= now; ++next_) {
      const std::size_t bit = changes_[next_].bit;
      ups_[bit] += changes_[next_].up ? 1 : -1;
      set_bits(bits_, bit, 1, ups_[bit] > 0 ? 1 : 0);
    }
    return bits_;
  }

 private:
  const std::vector<Changes::Change>& changes_;
  std::vector<int> ups_;
  std::size_t next_ = 0;
  Bits bits_{};
};

/// The emulator's run, by clock. Matrices have connection (u,v) at bit u * N + v.
struct ExpectedRun : PortTimeline, RtlNetwork {
  struct Slot {
    std::int64_t begin, end, usable;
    std::uint32_t slot;
  };
  struct Sent {
    Connection connection;
    bool worm = false;
  };

  explicit ExpectedRun(const SwitchParameters& p)
      : RtlNetwork(p), ports(p.nodes), setup_time(setup(p)), entered_at(p.nodes) {}

  void offered(Time, std::uint32_t transfer, const Message& m) override {
    if (transfer >= of_transfer.size()) of_transfer.resize(transfer + 1);
    of_transfer[transfer] = {m.id, 0, 0};
    if (m.id >= sent.size()) sent.resize(m.id + 1);
    sent[m.id].connection = m.connection;
  }
  void entered(std::uint32_t transfer, const Run& entries) override {
    entered_at[sent[of_transfer[transfer].message].connection.source].push_back(entries);
  }
  void on_link(const WordSpan& words) override {
    Places& places = of_transfer[words.transfer];
    sent[places.message].worm = words.worm;
    put(link, words, words.connection.source, places.message, places.on_link);
  }
  void out_of_fabric(const WordSpan& words) override {
    Places& places = of_transfer[words.transfer];
    put(output, words, words.connection.destination, places.message, places.out);
  }
  void waited(Time from, Time until, Connection c, bool worm) override {
    if (!worm && !on_demand) return;
    // Of a circuit, these are the NIC's instants.
    const std::int64_t requested = clocks(from) + (worm ? 0 : 1 + kWire);
    const std::int64_t pass = clocks(until - setup_time) - (worm ? 0 : kWire);
    requests.add(requested, bit(c), true);
    requests.add(pass + lag, bit(c), false);
    grants.pulse(pass + lag, bit(c));
    ++granted;
    if (worm) return;
    held.add(clocks(until), bit(c), true);
    fabric.add(clocks(until) - kWire, bit(c), true);
    fabric_granted.pulse(clocks(until) - kWire, bit(c));
  }
  void control(Time at, Connection c, bool is_request) override {
    (is_request ? request : release).pulse(clocks(at), bit(c));
    if (is_request || !on_demand) return;
    held.add(clocks(at), bit(c), false);
    fabric.add(clocks(at) + kWire, bit(c), false);
  }
  void waiting(Time at, Connection c, bool up) override { waits.add(clocks(at), bit(c), up); }
  void slot(Time begin, Time end, std::uint32_t slot, bool, Time unusable) override {
    slots.push_back({clocks(begin), clocks(end), clocks(begin + unusable), slot});
  }
  void circuit(Time at, Connection c, std::uint32_t slot, bool up) override {
    const std::int64_t node = clocks(at) + lag;
    visible.add(node, std::size_t{slot} * ports * ports + bit(c), up);
    (up ? established : lost).pulse(node, bit(c));
    table.add(clocks(at) + kWire, bit(c), up);
  }
  void sort() {
    for (Changes* const changes : {&request, &release, &waits, &visible, &lost, &established, &table,
                                   &requests, &grants, &held, &fabric, &fabric_granted})
      changes->sort();
  }

  std::size_t bit(Connection c) const { return std::size_t{c.source} * ports + c.destination; }
  /// The word of `port` in clock `at`; 0: none.
  std::uint32_t word(const std::vector<std::uint32_t>& of, std::int64_t at, Port port) const {
    const std::size_t i = static_cast<std::size_t>(at) * ports + port;
    return i < of.size() ? of[i] : 0;
  }
  /// The message of such a word.
  const Sent& message(std::uint32_t word) const { return sent[(word - 1) >> 12]; }

  Port ports;
  Time setup_time;                           // of a grant, from the pass on
  std::vector<std::vector<Run>> entered_at;  // by port: instants
  std::vector<std::uint32_t> link, output;   // by clock, by port: the word + 1
  std::vector<Sent> sent;                    // by message
  std::vector<Slot> slots;
  std::size_t granted = 0;                    // by the round-robin scheduler
  Changes request, release, waits;            // of the NICs
  Changes visible, lost, established, table;  // of predictive circuits; visible: bit (slot * N + u) * N + v
  Changes requests, grants;                   // of the round-robin scheduler
  Changes held, fabric, fabric_granted;       // of circuits on demand

 private:
  struct Places {
    std::uint64_t message, on_link, out;  // words
  };
  void put(std::vector<std::uint32_t>& of, const WordSpan& words, Port port, std::uint64_t message,
           std::uint64_t& place) const {
    for (std::uint64_t k = 0; k < words.starts.count; ++k, ++place) {
      const std::size_t at = static_cast<std::size_t>(clocks(words.starts.at(k))) * ports + port;
      if (of.size() <= at) of.resize((at + ports) * 2);
      of[at] = word_of(message, place) + 1;
    }
  }
  std::vector<Places> of_transfer;
};

}  // namespace hybrid
