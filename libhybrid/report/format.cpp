#include "libhybrid/report/format.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace hybrid {

std::string short_time(Time time) {
  struct Unit {
    std::string_view name;
    double picoseconds;
  };
  static constexpr std::array<Unit, 5> kUnits{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  if (time == Time::never()) return "never";
  if (time.ps == 0) return "0 s";
  const double magnitude = static_cast<double>(time.ps < 0 ? -time.ps : time.ps);
  std::size_t unit = 0;
  // 999.5 would be rounded to 1000: print it as 1.00 of the next unit.
  while (unit + 1 < kUnits.size() && magnitude >= kUnits[unit + 1].picoseconds * 0.9995) ++unit;
  const double value = static_cast<double>(time.ps) / kUnits[unit].picoseconds;
  const double size = magnitude / kUnits[unit].picoseconds;
  if (unit == 0 || size >= 99.95) return fmt::format("{:.0f} {}", value, kUnits[unit].name);
  return fmt::format("{:.{}f} {}", value, size < 9.995 ? 2 : 1, kUnits[unit].name);
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

}  // namespace hybrid
