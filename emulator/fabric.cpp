// The registered fabrics. Only the sum of the three parts is a published figure. The division into command,
// switching and lock is our choice; the models use the sum.
#include "emulator/fabric.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "emulator/parameters.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

const FabricRegistration kLvds{
    "lvds", "electrical crosspoint (D 3.1): 1 ns", []() -> std::unique_ptr<FabricTechnology> {
      return std::make_unique<FabricTechnology>(FabricTechnology{Time{}, nanoseconds(1), Time{}});
    }};

const FabricRegistration kFastOptical{
    "fast-optical", "amplifiers, rings, tunable lasers (1 to 100 ns): 100 ns, 10 + 10 + 80 for the lock",
    []() -> std::unique_ptr<FabricTechnology> {
      return std::make_unique<FabricTechnology>(
          FabricTechnology{nanoseconds(10), nanoseconds(10), nanoseconds(80)});
    }};

const FabricRegistration kMems2d{"mems-2d", "mirrors with two positions: 12 us, 1 + 10 + 1",
                                 []() -> std::unique_ptr<FabricTechnology> {
                                   return std::make_unique<FabricTechnology>(
                                       FabricTechnology{microseconds(1), microseconds(10), microseconds(1)});
                                 }};

const FabricRegistration kMems3d{"mems-3d", "mirrors that turn about two axes: 10 ms, 0.5 + 9 + 0.5",
                                 []() -> std::unique_ptr<FabricTechnology> {
                                   return std::make_unique<FabricTechnology>(FabricTechnology{
                                       microseconds(500), milliseconds(9), microseconds(500)});
                                 }};

}  // namespace

void apply_fabric(std::string_view name, SwitchParameters& p) {
  const auto fabric = FabricRegistration::make(name);
  p.reconfiguration_command = fabric->command;
  p.reconfiguration_switching = fabric->switching;
  p.reconfiguration_lock = fabric->lock;
}

Time least_slot_length(const SwitchParameters& p) {
  // Times that are too long for a slot are refused later, with the option's name. Here they must not
  // overflow.
  constexpr Time kMost{std::numeric_limits<std::int64_t>::max() / (4 * kSlotOfReconfigurations)};
  const auto bounded = [=](Time t) { return std::clamp(t, Time{}, kMost); };
  const Time parts = bounded(p.reconfiguration_command) + bounded(p.reconfiguration_switching) +
                     bounded(p.reconfiguration_lock);
  const Time reconfiguration = std::max(bounded(p.reconfiguration), parts);
  const Time guards = bounded(p.guard) * kSlotOfReconfigurations;
  if (keeps_circuits(p)) return std::max(guards, Time{reconfiguration.ps / kTicksOfReconfiguration});
  return guards + reconfiguration * kSlotOfReconfigurations;
}

}  // namespace hybrid
