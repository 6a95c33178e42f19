// Why a technique loses time: divides the mean wait of a rank for the network (TechniqueResult::network_wait)
// into parts by cause. The job is emulated again without one cause after the other:
//
//   path             bound `uncontended` - wait for other ranks
//   contention       bound `ideal` - bound `uncontended`
//   reconfiguration  technique - technique without reconfiguration and guard
//   scheduling       that - the same with passes of the scheduler that take no time
//   packet plane     that - the same with a packet plane of the links' rate
//   slots            that - bound `ideal`, of a technique with slots: mainly waiting for a slot
//   other            the same if there are no slots, or no message of the result used them (name_of_other())
//
// The sum of the parts is the wait. The registry states which causes a technique has (Uses). All other
// parameters stay as they are, the slot length, too. What two causes have in common is counted in the part
// that is removed first.
//
// A part is negative if the technique is faster with the cause than without it. `ideal` is no lower bound:
// circuits skip the converters of the digital fabric, and short worms pass long messages. A technique that
// selects between circuits and worms selects differently when scheduling takes no time.
//
//   const auto parts = divide_waits({to_divide(parameters, measures)}, bounds, emulate);
//   if (parts[0]) print(parts[0]->scheduling);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"
#include "emulator/network/technique.h"
#include "emulator/parameters.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/job_emulator.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

/// `parameters` without reconfiguration and guard, as far as the technique uses them.
SwitchParameters without_reconfiguration(SwitchParameters parameters);

/// `parameters` with passes of the scheduler without delay, on each picosecond. With slots they are on each
/// word time instead, unless the scheduler is faster: the demand guard acts once per sweep of the scheduler,
/// so that the cycle determines the cost of the emulation.
SwitchParameters without_scheduling(SwitchParameters parameters);

/// `parameters` with a packet plane of the links' rate, if there is one.
SwitchParameters with_full_packet_plane(SwitchParameters parameters);

/// A result to divide.
struct WaitToDivide {
  SwitchParameters parameters;
  Time communication{};       // mean over ranks
  bool uses_circuits = true;  // false: no message travelled over a circuit
};
WaitToDivide to_divide(const SwitchParameters& parameters, const Measures& measures);

/// Emulates `runs`; runs[i] is a variant of the result with index of[i].
using VariantEmulator = std::function<std::vector<EmulatedRun>(const std::vector<SwitchParameters>& runs,
                                                               const std::vector<std::size_t>& of)>;

/// The parts of each result's wait; nothing for bounds, if a bound is unknown, and if an emulation did not
/// reach the end of the job. Calls `emulate` at most once, with at most three runs per result: a cause that a
/// technique does not have needs none.
std::vector<std::optional<WaitParts>> divide_waits(const std::vector<WaitToDivide>& results,
                                                   const JobBounds& bounds, const VariantEmulator& emulate);

/// What the part `other` is with a technique: "worm limits", "request and grant", "divided
/// links".
std::string_view name_of_other(std::string_view technique);

/// The largest of the parts in which techniques differ, so without path and contention: "382 us to
/// scheduling". "" if there is none. Negative parts are charged to the largest part first: what one cause
/// costs, and another one saves in turn, is no loss.
std::string largest_loss(std::string_view technique, const WaitParts& parts);

/// Table of waits and their parts. The caller's columns come first. The packet plane has a column if a row
/// has that part.
class WaitTable {
 public:
  explicit WaitTable(std::vector<TextTable::Column> first) : first_(std::move(first)) {}
  void add(std::vector<std::string> first, std::string_view technique, const WaitParts& parts) {
    rows_.push_back({std::move(first), uses_slots(technique), parts});
  }
  /// Title, table and legend after an empty line; "" without rows.
  std::string text(std::size_t width) const;

 private:
  struct Row {
    std::vector<std::string> first;
    bool slots;  // of the technique
    WaitParts parts;
  };
  std::vector<TextTable::Column> first_;
  std::vector<Row> rows_;
};

}  // namespace hybrid
