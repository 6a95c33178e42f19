// Time: an integer count of picoseconds, the one type for times and durations in the models
// (docs/architecture.md, "Words").
//
// Range: about +-106 days. Arithmetic is exact. Conversions from and to floating point are explicit.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace hybrid {

struct Time {
  std::int64_t ps = 0;

  constexpr auto operator<=>(const Time&) const = default;

  constexpr Time& operator+=(Time other) { return ps += other.ps, *this; }
  constexpr Time& operator-=(Time other) { return ps -= other.ps, *this; }

  /// Later than every time in a model; means that an event does not occur. Not for arithmetic.
  static constexpr Time never() { return {std::numeric_limits<std::int64_t>::max()}; }

  constexpr double nanoseconds() const { return static_cast<double>(ps) / 1e3; }
  constexpr double seconds() const { return static_cast<double>(ps) / 1e12; }
};

constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
constexpr Time operator*(Time a, std::int64_t n) { return {a.ps * n}; }
constexpr Time operator*(std::int64_t n, Time a) { return {a.ps * n}; }
/// Number of whole `b` in `a`. Requires: a >= 0, b > 0.
constexpr std::int64_t operator/(Time a, Time b) { return a.ps / b.ps; }

constexpr Time picoseconds(std::int64_t n) { return {n}; }
constexpr Time nanoseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Time microseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Time milliseconds(std::int64_t n) { return {n * 1'000'000'000}; }

/// The first multiple of `period` at or after `t`: the clock edge at which a component acts. Requires: t >=
/// 0, period > 0.
constexpr Time next_edge(Time t, Time period) { return {(t.ps + period.ps - 1) / period.ps * period.ps}; }

/// Parses "200ns", "1.5us", "10 ms", "0". Units: ps, ns, us, ms, s; a number other than 0 must have a unit.
/// Throws UserError, with `what` as the name of the value, for other text, negative times and overflow.
Time parse_time(std::string_view text, std::string_view what);

/// The shortest exact form with the largest fitting unit: "200ns", "1.5us", "0s".
std::string to_string(Time t);

}  // namespace hybrid
