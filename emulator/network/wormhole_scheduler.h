// The round-robin scheduler of wormhole and circuit switching (D 8.3.4, 8.4.1): all ports within one cycle.
//
// A pass serves the free outputs that are asked for in the order p, p+1, ..., N-1, 0, ..., p-1; each takes
// the first free input, at or after its own pointer, that asks for it, and its pointer goes one past that
// input. p goes one on with every pass that granted something. So a pass is maximal, every output serves its
// askers in turn, and nobody starves. Granted ports are busy until freed.
#pragma once

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
  void free(Connection c);
  /// Whether anything is asked for.
  bool wanted() const { return requests_ != 0; }

  /// One pass; the connections granted, whose requests are thereby gone. Valid until the next pass.
  /// `noted`: whether visit() needs to know if p mattered, which takes a look at all that is asked.
  const std::vector<Connection>& pass(bool noted = false);
  /// Between two visits that are compared all passes must have been noted.
  void visit(StateVisitor& v);

 private:
  void serve_output(Port output);
  void grant(Port input, Port output);
  bool contested() const;

  std::uint32_t ports_;
  BitMatrix asking_;        // [output][input]
  BitMatrix asking_words_;  // [output]: the words of its row in asking_ that are not 0
  PortSet wanted_outputs_;  // outputs that somebody asks for
  PortSet free_inputs_, free_outputs_;
  /// Who asks for an output: nearly always one, who is then known without a look at the row.
  struct Output {
    std::uint32_t askers = 0;
    Port sum = 0;      // of the askers, modulo 2, bit by bit: of one asker, itself
    Port pointer = 0;  // the input that is served first
  };
  std::vector<Output> outputs_;
  std::vector<std::uint32_t> asks_;  // by input: outputs asked for
  PortSet several_;                  // inputs that ask for more than one
  Port first_ = 0;                   // p
  std::uint64_t contests_ = 0;       // passes whose outcome depends on p
  std::uint64_t requests_ = 0;
  std::vector<Connection> granted_;
};

}  // namespace hybrid
