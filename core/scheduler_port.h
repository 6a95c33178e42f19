// The scheduler port: the one interface between whoever wants circuits and whoever grants them.
//
// The emulator and the shim ask through it; the C++ model (default), the Verilated RTL and a device behind a
// serial port answer behind it, and nobody can tell them apart. Four things can be asked: preload, request,
// release, flush; what comes back is a stream of grants. Every call carries its time stamp.
//
// Contract
// - Calls are made in non-decreasing time order, from one thread. A time before the previous one is a logic
//   error.
// - `advance(until)` performs what the scheduler does up to and including `until` and appends the changes of
//   the established connections, in time order. The changes are complete: replaying them from an empty
//   schedule gives the schedule. A connection is established in at most one slot.
// - A request stays pending until it is granted, released or flushed. A request for an established or pending
//   connection, and a release of one that is neither, change nothing.
// - Preloaded slots hold exactly what was preloaded, are not touched by requests and releases, and stay until
//   the slot is preloaded again (an empty configuration gives the slot back to dynamic scheduling) or
//   flushed.
// - Ports and slots are checked by the caller; shape() tells the limits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/time.h"

namespace hybrid {

/// One change of the established connections.
struct Grant {
  enum class Kind : std::uint8_t { established, released };
  Time at;
  std::uint32_t slot = 0;
  Connection connection;
  Kind kind = Kind::established;
  bool operator==(const Grant&) const = default;
};

class SchedulerPort {
 public:
  struct Shape {
    std::uint32_t ports = 0;
    std::uint32_t slots = 0;  // K
  };

  virtual ~SchedulerPort() = default;
  virtual Shape shape() const = 0;

  /// Slot `slot` holds `configuration` from the scheduler's next action on.
  virtual void preload(Time at, std::uint32_t slot, const Configuration& configuration) = 0;
  virtual void request(Time at, Connection connection) = 0;
  virtual void release(Time at, Connection connection) = 0;
  /// Drops every established connection and pending request, preloaded ones too (D 5.2.3), of one source
  /// port, or of all ports for kNoPort. A slot left empty is dynamic again.
  virtual void flush(Time at, Port source = kNoPort) = 0;

  /// Appends the connections that `slot` holds at `at`, but for those at its own two ports, that keep
  /// `connection` out of it: once all of these are released it has room there. Of a crossbar: none.
  virtual void find_blocking(Time /*at*/, std::uint32_t /*slot*/, Connection /*connection*/,
                             std::vector<Connection>& /*found*/) {}

  virtual void advance(Time until, std::vector<Grant>& grants) = 0;
  /// A lower bound on the time of the next change if nothing more is asked; Time::never() when there is none.
  virtual Time next_change() const = 0;
};

}  // namespace hybrid
