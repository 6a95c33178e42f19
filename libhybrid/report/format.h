// Numbers for reports: few digits and a unit.
#pragma once

#include <cstdint>
#include <string>

#include "core/time.h"

namespace hybrid {

/// Three significant digits and the largest fitting unit: "1.24 ms", "87.0 us", "0 s".
std::string short_time(Time time);
/// Digits in groups of three: "1,234,567".
std::string grouped(std::uint64_t count);
/// "97.3 %".
std::string percent(double fraction);

}  // namespace hybrid
