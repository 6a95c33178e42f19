// Round-robin scheduler of wormhole and circuit switching (D 8.3.4, 8.4.1): all ports within one cycle.
//
//   scheduler.request({source, destination});
//   for (const Connection granted : scheduler.run_pass()) ...
//   scheduler.release_ports(granted);
//
// A pass serves the free outputs with requests in the order p, p+1, ..., N-1, 0, ..., p-1. Each output takes
// its first free requester at or after its pointer, and its pointer moves to the input after that. p advances
// by one with every pass that granted a connection. A pass is maximal. Granted ports are busy until they are
// released.
//
// Every output serves its requesters in turn, apart from those whose input is busy or gets another output in
// the same pass. So a request that is the only one of its input is granted in one of N passes that find both
// ports free. Of an input with several requests (the virtual queues of worms, circuits of several messages)
// one of them is granted then; a single one waits without bound if outputs compete for the input in an
// unfavourable order. D 8.3.4 requires at most one output for an input and D 8.4.1 round robin of all outputs
// in one cycle; how outputs compete for an input is left open.
//
// An output has nearly always one requester, or a few. One requester is stored directly; a few, if there are
// many ports, as a list in one cache line; more than that as a row of a bit matrix, whose rows for thousands
// of ports are not in the cache.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "emulator/network/repetition.h"

namespace hybrid {

/// Edges of a scheduler's clock at which passes run: at most one pass per edge, scheduled on demand.
class PassClock {
 public:
  explicit PassClock(Time cycle) : cycle_(cycle) {}

  /// Schedules a pass for a change at `now`, on the first edge at or after it. Returns the edge, or
  /// Time::never() if a pass is scheduled already.
  Time schedule_pass(Time now) {
    if (next_ != Time::never()) return Time::never();
    next_ = next_edge(now, cycle_);
    if (next_ == last_) next_ += cycle_;
    return next_;
  }
  /// The scheduled pass runs at `now`.
  void begin_pass(Time now) {
    last_ = now;
    next_ = Time::never();
  }

 private:
  Time cycle_, next_ = Time::never(), last_{-1};
};

class WormholeScheduler {
 public:
  explicit WormholeScheduler(std::uint32_t ports);

  void request(Connection c);
  /// Releases both ports of a granted connection.
  void release_ports(Connection c);
  /// Whether there is a request that is not granted.
  bool has_requests() const { return request_count_ != 0; }
  /// Outputs that are requested or granted.
  const PortSet& outputs_in_use();

  /// Runs one pass. Returns the granted connections, valid until the next pass; their requests are removed.
  /// `noted`: records for visit() whether the outcome depended on p, which costs time linear in the requests.
  const std::vector<Connection>& run_pass(bool noted = false);
  /// Lists the state (emulator/network/repetition.h). Requires: all passes between two visits that are
  /// compared were noted.
  void visit(StateVisitor& v);

 private:
  /// Requesters of an output.
  struct Output {
    std::uint32_t requesters = 0;
    Port sum = 0;         // exclusive or of the requesters: with one requester, its number
    Port pointer = 0;     // the input that is served first
    bool by_row = false;  // more than one, stored in rows_; otherwise more than one are in lists_
  };
  static constexpr std::uint32_t kListed = 16;
  struct alignas(64) List {
    std::array<Port, kListed> requesters;  // ascending
  };

  bool add_request(Port input, Port output);
  bool add_to_list(Port input, Port output);
  void remove_request(Port input, Port output);
  void set_in_row(Port input, Port output);
  void reset_in_row(Port input, Port output);
  Port first_free_requester(Port output) const;
  /// Calls `visit` for the requesters of `output`, ascending.
  template <class Visit>
  void for_each_requester(Port output, Visit&& visit) const;
  Port first_free_input(Port output) const;
  void grant_output(Port input, Port output);
  bool is_contested();

  std::uint32_t ports_;
  BitMatrix rows_;       // [output][input], of outputs by row
  BitMatrix row_words_;  // [output]: the words of its row in rows_ that are not 0; unused if rows are short
  std::vector<List> lists_;  // by output; empty if rows are short
  PortSet wanted_outputs_;   // outputs with requests
  PortSet free_inputs_, free_outputs_;
  std::vector<Output> outputs_;
  PortSet taken_;               // of is_contested()
  Port first_ = 0;              // p
  std::uint64_t contests_ = 0;  // passes whose outcome depends on p
  std::uint64_t request_count_ = 0;
  PortSet outputs_in_use_;
  std::vector<Connection> granted_;
};

}  // namespace hybrid
