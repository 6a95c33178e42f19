// The round-robin scheduler of wormhole and circuit switching (D 8.3.4, 8.4.1): all ports within one cycle.
//
// A pass serves the free outputs that are asked for in the order p, p+1, ..., N-1, 0, ..., p-1; each takes
// the first free input, at or after its own pointer, that asks for it, and its pointer goes one past that
// input. p goes one on with every pass that granted something. So a pass is maximal, every output serves its
// requesters in turn, and nobody starves. Granted ports are busy until freed.
//
// Who asks for an output is nearly always one input, or a few of many. One is kept as it is; a few, where
// there are many ports, as a list in a line of the cache; more than that as a row of a bit matrix, whose rows
// of thousands of ports lie out of the cache.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/network/repetition.h"

namespace hybrid {

class WormholeScheduler {
 public:
  explicit WormholeScheduler(std::uint32_t ports);

  void request(Connection c);
  /// Both ports of a granted connection are free again.
  void release_ports(Connection c);
  /// Whether anything is asked for.
  bool has_requests() const { return request_count_ != 0; }

  /// One pass; the connections granted, whose requests are thereby gone. Valid until the next pass.
  /// `noted`: whether visit() needs to know if p mattered, which takes a look at all that is asked.
  const std::vector<Connection>& run_pass(bool noted = false);
  /// Between two visits that are compared all passes must have been noted.
  void visit(StateVisitor& v);

 private:
  /// Who asks for an output.
  struct Output {
    std::uint32_t requesters = 0;
    Port sum = 0;         // of the requesters, modulo 2, bit by bit: of one asker, itself
    Port pointer = 0;     // the input that is served first
    bool by_row = false;  // more than one, and in rows_; otherwise more than one are in lists_
  };
  static constexpr std::uint32_t kListed = 16;
  struct alignas(64) List {
    std::array<Port, kListed> requesters;  // ascending
  };

  bool add_request(Port input, Port output);
  void remove_request(Port input, Port output);
  void set_in_row(Port input, Port output);
  void reset_in_row(Port input, Port output);
  Port first_free_requester(Port output) const;
  /// Calls `visit` for those that ask for `output`, ascending.
  template <class Visit>
  void for_each_requester(Port output, Visit&& visit) const;
  void serve_output(Port output);
  void grant_output(Port input, Port output);
  bool is_contested();

  std::uint32_t ports_;
  BitMatrix rows_;           // [output][input], of outputs by row
  BitMatrix row_words_;      // [output]: the words of its row in rows_ that are not 0
  std::vector<List> lists_;  // by output; none where rows are short
  PortSet wanted_outputs_;   // outputs that somebody asks for
  PortSet free_inputs_, free_outputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint32_t> requested_outputs_;  // by input: outputs asked for
  PortSet several_;                               // inputs that ask for more than one
  PortSet candidates_, taken_;                    // of is_contested()
  Port first_ = 0;                                // p
  std::uint64_t contests_ = 0;                    // passes whose outcome depends on p
  std::uint64_t request_count_ = 0;
  std::vector<Connection> granted_;
};

}  // namespace hybrid
