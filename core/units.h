// Parsing and formatting of sizes in bytes and rates in bits per second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"

namespace hybrid {

using Bytes = std::uint64_t;
using BitRate = std::uint64_t;  // bits per second

inline constexpr Bytes kUnlimited = ~Bytes{0};

// All parse functions throw UserError, with `what` as the name of the value, for other text and on overflow.

/// Parses "128", "2K", "8 KiB", "240KB", "1.5M", "3G" (K = 1024), and "unlimited" as kUnlimited. The size
/// must be a whole number of bytes.
Bytes parse_bytes(std::string_view text, std::string_view what);
/// The same without "unlimited".
Bytes parse_limited_bytes(std::string_view text, std::string_view what);

/// "128 B", "2 KiB", "1.5 MiB", "unlimited"; at most one decimal, the same in every locale.
std::string format_bytes(Bytes bytes);

/// Parses "6.4Gb/s", "100Mb/s", "25G". Rejects bytes per second ("GB/s"), 0, and rates above 10^15.
BitRate parse_rate(std::string_view text, std::string_view what);
/// Exact, in the largest unit that fits: "6.4 Gb/s", "6.45 Gb/s". parse_rate() accepts the result.
std::string format_rate(BitRate rate);

/// The time that `bytes` occupy a link of `rate`, rounded up to a whole picosecond; Time::never() if it
/// exceeds the range of Time. Requires: rate > 0.
Time time_on_link(Bytes bytes, BitRate rate);

/// Parses a non-negative decimal integer up to `maximum`.
std::uint64_t parse_count(std::string_view text, std::string_view what,
                          std::uint64_t maximum = ~std::uint64_t{0});

/// Parses a finite number ("0.25", "1e-3", "-2"), the same in every locale; nullopt for other text.
std::optional<double> read_number(std::string_view text);
/// Parses a share: a number from 0 to 1, or a percentage ("10%", "10 %"); nullopt for other text.
std::optional<double> read_share(std::string_view text);

}  // namespace hybrid
