// Time in the models: an integer count of picoseconds, one type everywhere (docs/architecture.md, "Words").
//
// Range: about +-106 days. Arithmetic is exact; there is no conversion from floating point that is not named.
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

  /// Later than every time a model reaches; "nothing will happen". Do not do arithmetic with it.
  static constexpr Time never() { return {std::numeric_limits<std::int64_t>::max()}; }

  constexpr double nanoseconds() const { return static_cast<double>(ps) / 1e3; }
  constexpr double seconds() const { return static_cast<double>(ps) / 1e12; }
};

constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
constexpr Time operator*(Time a, std::int64_t n) { return {a.ps * n}; }
constexpr Time operator*(std::int64_t n, Time a) { return {a.ps * n}; }
/// How many whole `b` fit into `a` (both >= 0, b > 0).
constexpr std::int64_t operator/(Time a, Time b) { return a.ps / b.ps; }

constexpr Time picoseconds(std::int64_t n) { return {n}; }
constexpr Time nanoseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Time microseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Time milliseconds(std::int64_t n) { return {n * 1'000'000'000}; }

/// The first multiple of `period` at or after `t` (t >= 0, period > 0): the clock edge a component acts on.
constexpr Time next_edge(Time t, Time period) { return {(t.ps + period.ps - 1) / period.ps * period.ps}; }

/// Reads "200ns", "1.5us", "10 ms", "0". Units ps, ns, us, ms, s; a bare number other than 0 has none and is
/// refused. `what` names the thing in the error. Throws UserError on anything else, on negative times and on
/// overflow.
Time parse_time(std::string_view text, std::string_view what);

/// The shortest exact form with the largest fitting unit: "200ns", "1.5us", "0s".
std::string to_string(Time t);

}  // namespace hybrid
