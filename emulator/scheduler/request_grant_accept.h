// Base of the packet switches' matching algorithms that work by request, grant and accept: islip.cpp and
// pim.cpp.
//
// One iteration has three parts. Each free input requests every output that it has a connection to establish
// to; each free output grants one of these requests; each input accepts one of its grants. A pass makes
// `steps` iterations (default: iterations_of()). It ends early after an iteration that matches nothing; the
// matching is then maximal. Releases come first (open_requests.h); connections that the slot holds stay.
//
// `Algorithm` derives from this class and defines
//   Port select_request(Port output, std::span<const Word> requests, std::span<const Word> free_inputs);
//       The input that the output grants: a member of both sets, or kNoPort if there is none.
//   void add_grant(Port input, Port output, bool first);
//       Stores a grant; `first`: the first one of this input in this iteration.
//   Port select_grant(Port input);
//       The output that the input accepts, one of its grants.
//   void end_match(Connection match, bool first_iteration);
//       Called after a match.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/scheduler/bit_transpose.h"
#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// Iterations of a pass: shape.steps; if that is 0, log2 of the number of ports, rounded up, at least 1.
/// After so many iterations the matching is maximal or nearly maximal.
inline std::uint32_t iterations_of(const SchedulerShape& shape) {
  if (shape.steps != 0) return shape.steps;
  return shape.ports < 3 ? 1 : static_cast<std::uint32_t>(std::bit_width(shape.ports - 1));
}

template <class Algorithm>
class RequestGrantAccept : public Scheduler {
 public:
  std::span<const Connection> pass(const SchedulingPass& in) final {
    toggles_.clear();
    open_.begin_pass(in, toggles_);
    if (!open_.inputs().any()) return toggles_;
    transpose(open_.edges(), requests_);
    free_inputs_ = open_.inputs();
    free_outputs_ = open_.outputs();
    for (std::uint32_t i = 0; i < iterations_ && iterate(i == 0); ++i) {
    }
    return toggles_;
  }

 protected:
  explicit RequestGrantAccept(const SchedulerShape& shape)
      : ports_(shape.ports),
        iterations_(iterations_of(shape)),
        open_(ports_),
        requests_(ports_, ports_),
        free_inputs_(ports_),
        free_outputs_(ports_),
        granted_(ports_) {
    toggles_.reserve(2 * std::size_t{ports_});
  }

  std::uint32_t ports() const { return ports_; }

 private:
  /// Returns whether a connection was matched.
  bool iterate(bool first_iteration) {
    Algorithm& algorithm = static_cast<Algorithm&>(*this);
    for_each_port(free_outputs_.words(), [&](Port output) {
      const Port input = algorithm.select_request(output, requests_.row(output), free_inputs_.words());
      if (input == kNoPort) return;
      const bool first = !granted_.test(input);
      granted_.set(input);
      algorithm.add_grant(input, output, first);
    });
    if (!granted_.any()) return false;
    for_each_port(granted_.words(), [&](Port input) {
      const Connection match{input, algorithm.select_grant(input)};
      toggles_.push_back(match);
      free_inputs_.reset(match.source);
      free_outputs_.reset(match.destination);
      algorithm.end_match(match, first_iteration);
    });
    granted_.clear();
    return true;
  }

  std::uint32_t ports_, iterations_;
  OpenRequests open_;
  BitMatrix requests_;  // [output][input]: the edges of `open_`, transposed
  PortSet free_inputs_, free_outputs_;
  PortSet granted_;  // inputs with a grant in this iteration
  std::vector<Connection> toggles_;
};

}  // namespace hybrid
