// SchedulerPort: the interface between the users of circuits (the emulator, the shim) and the scheduler that
// grants them.
//
// The C++ model implements it (emulator/scheduler/model_port.h). Its one-slot scheduler is a C++ model, RTL
// or a device on a serial line (docs/hardware.md), with the same observable behaviour. There are four
// commands: preload, request, release and flush. The result is a stream of grants. Every call carries its
// time stamp.
//
//   std::vector<Grant> grants;
//   port.request(now, {source, destination});
//   port.advance(port.next_change(), grants);
//
// Contract
// - All calls come from one thread, in non-decreasing time order. A time before the previous one is a
//   std::logic_error.
// - `advance(until)` runs the scheduler up to and including `until` and appends the changes of the
// established
//   connections, in time order. The changes are complete: applied in order to an empty schedule they give the
//   schedule. A connection is established in at most one slot.
// - A request stays pending until it is granted, released or flushed. A request for an established or pending
//   connection has no effect; nor has a release of a connection that is neither.
// - A preloaded slot holds exactly the preloaded configuration. Requests and releases do not change it. It
//   stays until the slot is flushed or preloaded again (an empty configuration returns the slot to dynamic
//   scheduling).
// - The caller checks ports and slots against the limits in shape().
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

  /// Sets slot `slot` to `configuration`: with the next pass of the scheduler, or at once and without a pass
  /// if the scheduler has a direct path for preloads (--preload-path).
  virtual void preload(Time at, std::uint32_t slot, const Configuration& configuration) = 0;
  virtual void request(Time at, Connection connection) = 0;
  virtual void release(Time at, Connection connection) = 0;
  /// Removes all established and preloaded connections and all pending requests (D 5.2.3) of one source port,
  /// or of all ports for kNoPort. A slot that is empty afterwards is dynamic again.
  virtual void flush(Time at, Port source = kNoPort) = 0;

  /// Appends the connections in `slot` at time `at` that block `connection` inside the network, without those
  /// that share one of its two ports. Once all of them are released, the slot has room for `connection`. A
  /// crossbar has none.
  virtual void find_blocking(Time /*at*/, std::uint32_t /*slot*/, Connection /*connection*/,
                             std::vector<Connection>& /*found*/) {}

  virtual void advance(Time until, std::vector<Grant>& grants) = 0;
  /// Lower bound on the time of the next change without further calls; Time::never() if there is none.
  virtual Time next_change() const = 0;
};

}  // namespace hybrid
