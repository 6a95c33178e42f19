// Writes the one-sided operations and synchronisations of a location.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "libhybrid/recording/location_output.h"

namespace hybrid {

class OneSidedWriter {
 public:
  explicit OneSidedWriter(LocationOutput& output) : output_(output) {}

  /// EventKind::put, get and accumulate.
  void write_operation(const JournalRecord& record, Time at);
  /// EventKind::rma_sync, from `begin` to `end`.
  void write_sync(const JournalRecord& record, Time begin, Time end);

 private:
  struct Window {
    std::uint32_t id = 0;
    LocationOutput::View communicator;
  };
  /// Operations on a window that are not complete, by target.
  using Epoch = std::unordered_map<std::uint32_t, std::vector<std::uint64_t>>;

  OTF2_GroupRef group_of_epoch(const JournalRecord& record, const Window& window);
  /// Completes the operations to `target`, or to all targets.
  void complete_operations(const Window& window, std::optional<std::uint32_t> target, Time at);
  /// nullopt, and counted: not defined.
  std::optional<Window> window_of(const JournalRecord& record);

  LocationOutput& output_;
  std::unordered_map<std::uint32_t, Epoch> epochs_;  // by window
  std::uint64_t last_id_ = 0;                        // of an operation
};

}  // namespace hybrid
