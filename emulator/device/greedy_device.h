// A greedy scheduler outside this program's models that stores R, B* and K slots: the block greedy_rows.sv,
// compiled by Verilator or behind a serial line. DeviceScheduler makes a one-slot scheduler
// (emulator/scheduler/scheduler.h) of it: before each pass it sends what changed since the device's last
// pass.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class GreedyDevice {
 public:
  virtual ~GreedyDevice() = default;
  virtual std::uint32_t ports() const = 0;
  virtual std::uint32_t slots() const = 0;

  // Commands. A new device is empty. Ports and slots are below ports() and slots(). An implementation may
  // delay them until the next pass. All throw RunError if the device fails.
  virtual void set_request(Connection c, bool requested) = 0;
  /// Adds `c` to the slot. Preconditions: both ports are free there, and no slot holds `c`.
  virtual void hold(std::uint32_t slot, Connection c) = 0;
  /// Removes what `source` holds in the slot.
  virtual void drop(std::uint32_t slot, Port source) = 0;
  /// Makes a pass over the slot. Returns the toggles, in the order of the priority, until the next pass.
  virtual std::span<const Connection> pass(std::uint32_t slot, SchedulingPriority priority) = 0;
};

/// A device with a copy of what it stores. Several schedulers may use one device: each pass first makes the
/// device agree with what the pass depends on.
class SharedDevice {
 public:
  /// `name`: for messages.
  SharedDevice(std::string name, std::unique_ptr<GreedyDevice> device);

 private:
  friend class DeviceScheduler;
  const std::string name_;
  std::mutex mutex_;  // of everything below
  std::unique_ptr<GreedyDevice> device_;
  std::uint32_t ports_;
  BitMatrix requests_, established_;  // R, B*
  std::vector<Configuration> slots_;
};

/// The same toggles as `greedy`, for any number of slots: the device's K slots store those that were used
/// last, slot number s in slot s mod K.
class DeviceScheduler final : public Scheduler {
 public:
  /// Throws UserError if the device has fewer ports than `shape`.
  DeviceScheduler(const SchedulerShape& shape, std::shared_ptr<SharedDevice> shared);
  /// Throws RunError if the device fails or returns a toggle that the contract of a pass excludes.
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  void send_slot(const SchedulingPass& in, std::uint32_t s);
  void send_requests(const SchedulingPass& in, std::uint32_t s);
  void drop(std::uint32_t s, Connection c);
  void drop_elsewhere(std::uint32_t s, Connection c);
  void apply(const SchedulingPass& in, std::uint32_t s, std::span<const Connection> toggles);

  std::uint32_t ports_;
  std::shared_ptr<SharedDevice> shared_;
  std::vector<Word> wanted_;         // scratch: a row of R
  std::vector<Connection> toggles_;  // of the last pass
};

}  // namespace hybrid
